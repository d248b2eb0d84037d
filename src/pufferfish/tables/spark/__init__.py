"""Tables on a Spark cluster: counts by secret, one column changed and published, tasks spread.

The only place that knows Spark.
"""

from __future__ import annotations

from pufferfish.tables.spark.jobs import is_spark
from pufferfish.tables.spark.looking import look_at_sample
from pufferfish.tables.spark.mapping import Written, map_spark
from pufferfish.tables.spark.persons import reduced_spark, spark_persons
from pufferfish.tables.spark.summary import spark_summary
from pufferfish.tables.spark.survey import SurveyedGroup, survey

__all__ = [
    "SurveyedGroup",
    "Written",
    "is_spark",
    "look_at_sample",
    "map_spark",
    "reduced_spark",
    "spark_persons",
    "spark_summary",
    "survey",
]
