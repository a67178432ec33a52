/* A table. */
raf.sections.table = (section, body) => body.append(raf.table(section.data.head, section.data.rows, section.data.sortable));
