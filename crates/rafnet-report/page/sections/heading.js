/* A heading between sections: its title and text are all there is. */
raf.sections.heading = () => {};
