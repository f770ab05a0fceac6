"""A server or a worker of a cluster: `python -m cane_gane.training.servers.host`.

TF_CONFIG says which one. It serves until it is ended.
"""

from __future__ import annotations

from cane_gane.training.runtime import load_tensorflow


def serve() -> None:
    """Serves requests of the coordinator for ever."""
    load_tensorflow(device="cpu", begin=lambda: None)
    import tensorflow as tf

    own = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    server = tf.distribute.Server(
        own.cluster_spec(), job_name=own.task_type, task_index=own.task_id
    )
    server.join()


if __name__ == "__main__":
    serve()
