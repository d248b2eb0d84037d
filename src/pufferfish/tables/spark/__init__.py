"""Tables on a Spark cluster: counts by secret, columns changed and published, tasks spread.

The only place that knows Spark.
"""
