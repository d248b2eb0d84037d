"""Tables on a Spark cluster: counts by secret, one column changed and published, tasks spread.

The only place that knows Spark.
"""
