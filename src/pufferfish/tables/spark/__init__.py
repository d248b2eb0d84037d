"""Tables on a Spark cluster: count by secret, change and publish columns, distribute tasks.

Only this package knows Spark.
"""
