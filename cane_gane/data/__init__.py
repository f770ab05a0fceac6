"""From a folder to a network, a split and word ids."""
