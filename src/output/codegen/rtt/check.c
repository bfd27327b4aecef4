/* ---- Checking a file, without MPI ---- */

/* All of a file, with a 0 behind it; NULL if it cannot be read. */
static char *contents(FILE *file)
{
    size_t length = 0, most = 0, got;
    char *text = NULL;

    do {
        char *more = length + 1 < most ? text : realloc(text, most = 2 * most + 4096);

        if (more == NULL) {
            free(text);
            return NULL;
        }
        text = more;
        got = fread(text + length, 1, most - length - 1, file);
        length += got;
    } while (got > 0);
    text[length] = '\0';
    return text;
}

/* Cuts the next cell off, its quotes taken away; `end` becomes what stood behind it: a comma, or 0 at a line's end. */
static char *next_cell(char **text, char *end)
{
    char *cell = *text, *from = *text, *to = *text;

    if (*from == '"') {
        for (from++; *from != '\0' && (*from != '"' || from[1] == '"'); from++) {
            from += *from == '"';
            *to++ = *from;
        }
        from += *from == '"';
    }
    while (*from != ',' && *from != '\n' && *from != '\0')
        *to++ = *from++;
    *end = *from == ',' ? ',' : '\0';
    *text = from + (*from != '\0');
    *to = '\0';
    if (to > cell && to[-1] == '\r')
        to[-1] = '\0';
    return cell;
}

static int wrong(const char *name, int line, int column, const char *what)
{
    fprintf(stderr, PROGRAM ": %s, row %d, column %d: %s\n", name, line, column, what);
    return FAILED;
}

/* Whether a cell is the time that belongs there. */
static int is_time(const char *cell, int diagonal)
{
    char *end;
    double time = strtod(cell, &end);

    if (diagonal && cell[0] == '\0')
        return 1;
    return end != cell && *end == '\0' && (diagonal ? time == 0 : time > 0 && time < 1e12);
}

static int check_rows(const char *name, char *text, char **names, int count)
{
    int line, column;

    for (line = 2; *text != '\0'; line++) {
        char end = ',', *cell = next_cell(&text, &end);

        if (line > count + 1)
            return wrong(name, line, 1, "more rows than columns");
        if (strcmp(cell, names[line - 2]) != 0)
            return wrong(name, line, 1, "not the name of this column");
        for (column = 2; end == ','; column++) {
            cell = next_cell(&text, &end);
            if (column > count + 1)
                return wrong(name, line, column, "more cells than the first row has");
            if (!is_time(cell, column == line))
                return wrong(name, line, column, "not a round-trip time in milliseconds");
        }
        if (column != count + 2)
            return wrong(name, line, column, "a time is missing");
    }
    return line == count + 2 ? FINE : wrong(name, line, 1, "a row is missing");
}

static int check_text(const char *name, char *text)
{
    char end, **names = NULL;
    int count = 0, i, verdict = FINE;

    if (next_cell(&text, &end)[0] != '\0')
        return wrong(name, 1, 1, "the first cell is empty in a CSV of round-trip times");
    while (end == ',' && verdict == FINE) {
        char **more = realloc(names, ((size_t)count + 1) * sizeof *names);

        if (more == NULL) {
            free(names);
            return wrong(name, 1, count + 2, "not enough memory");
        }
        names = more;
        names[count++] = next_cell(&text, &end);
        for (i = 0; i < count - 1; i++)
            if (strcmp(names[i], names[count - 1]) == 0)
                verdict = wrong(name, 1, count + 1, "this name is there twice");
    }
    if (verdict == FINE && count == 0)
        verdict = wrong(name, 1, 2, "there are no machines");
    if (verdict == FINE)
        verdict = check_rows(name, text, names, count);
    if (verdict == FINE)
        printf("OK: round-trip times of %d machines\n", count);
    free(names);
    return verdict;
}

/* Looks at a CSV as this program prints it. */
static int check_file(const char *name)
{
    FILE *file = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");
    char *text = file != NULL ? contents(file) : NULL;
    int verdict;

    if (file == NULL || text == NULL) {
        fprintf(stderr, PROGRAM ": %s cannot be read\n", name);
        return FAILED;
    }
    verdict = check_text(name, text);
    free(text);
    if (file != stdin)
        fclose(file);
    return verdict;
}
