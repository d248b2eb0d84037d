"""What a promise becomes for somebody who knows more than was described, or believes otherwise."""
