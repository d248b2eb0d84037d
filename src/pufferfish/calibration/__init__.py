"""The noise or the recoding that keeps a promise: search, result, explanation."""
