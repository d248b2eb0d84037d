"""Tables on a Spark cluster: counts by secret, one column changed and published, tasks spread.

The only place that knows Spark.
"""

from __future__ import annotations

from pufferfish.tables.spark.jobs import is_spark
from pufferfish.tables.spark.looking import look_at_sample
from pufferfish.tables.spark.mapping import Written, map_spark
from pufferfish.tables.spark.summary import spark_summary
from pufferfish.tables.spark.survey import SurveyedGroup, most_rows_of_one, survey

__all__ = [
    "SurveyedGroup",
    "Written",
    "is_spark",
    "look_at_sample",
    "map_spark",
    "most_rows_of_one",
    "spark_summary",
    "survey",
]
