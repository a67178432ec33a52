"""Problems with known solutions, drawn at random, as files for `raf solve`."""
