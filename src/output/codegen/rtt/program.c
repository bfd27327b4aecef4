/* Measures the round-trip time between every two machines of a cluster, one rank a machine.
 * @mark@
 *
 * Prints a CSV of milliseconds to stdout, for `simnet discover`; everything else goes to stderr. README.txt says how
 * to run it. C99 and MPI 2.2 or later.
 *
 * How it measures is printed in Lawrence and Yuan, "An MPI Tool for Automatically Discovering the Switch Level
 * Topologies of Ethernet Clusters" (2008), section 3.2: MPI_Send and MPI_Recv; a sample is the mean of some round
 * trips; a set of samples is trusted if the full width of its 95 % confidence interval is a small share of the mean,
 * else a new set of twice as many is taken. All ordered pairs, one after the other. Added are one round trip before
 * each pair's first set, which sets up the connection and is not timed, and pairs measured at once.
 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "@prefix@_rtt"

enum { PING = 1, ANSWER, ANOTHER, TURN };
enum { FINE = 0, FAILED = 1, USAGE = 2 };
enum { NAME_SIZE = MPI_MAX_PROCESSOR_NAME + 32, NAMED = 10 };

/* What can be chosen, and the defaults. */
enum { MESSAGE, ROUND_TRIPS, SAMPLES, MOST_SAMPLES, THRESHOLD, AT_ONCE, NUMBERS, SHARED = NUMBERS, QUIET, CHOICES };

static long long plan[CHOICES] = {@plan@, 0, 0};

/* A choice that is a number, in units of 10^-decimals. */
struct number {
    const char *name, *unit, *about;
    int decimals;
    long long least, most;
};

static const struct number numbers[NUMBERS] = {
    {"--message", "B", "length of a ping and of its answer, bytes", 0, 1, @most_bytes@},
    {"--round-trips", "", "round trips of a sample", 0, 1, @most_round_trips@},
    {"--samples", "", "samples of the first set", 0, 2, @most_samples@},
    {"--most-samples", "", "samples of the largest set, which is used whatever its spread", 0, 2, @most_samples@},
    {"--threshold", "%", "width of the 95 % confidence interval that is trusted, per cent of the mean", 4, 0,
     @most_threshold@},
    {"--at-once", "", "pairs that measure at the same time; 0: each ordered pair alone, one after the other", 0, 0,
     @most_at_once@},
};

static int rank, size;
static char *buffer;   /* a ping's data */
static double *sample; /* seconds */
static double *row;    /* by rank, seconds */
static int *sets;      /* by rank, the samples of the last set; below 0 if it was not to be trusted */

/* Ends all ranks where there is no other way. */
static void give_up(const char *what)
{
    fprintf(stderr, PROGRAM ": %s on rank %d\n", what, rank);
    MPI_Abort(MPI_COMM_WORLD, FAILED);
}

static void *room(size_t count, size_t bytes)
{
    void *found = calloc(count + 1, bytes);

    if (found == NULL)
        give_up("not enough memory");
    return found;
}

/* ---- The command line ---- */

static void print_decimals(FILE *out, long long value, int decimals)
{
    long long one = 1;
    int digits = decimals;

    while (digits-- > 0)
        one *= 10;
    fprintf(out, "%lld", value / one);
    for (value %= one; value > 0; value = value * 10 % one) {
        fprintf(out, "%s%lld", decimals > 0 ? "." : "", value * 10 / one);
        decimals = 0;
    }
}

static void print_usage(FILE *out)
{
    int i;

    fprintf(out, "usage: mpirun -np RANKS --hostfile HOSTS " PROGRAM " [OPTIONS] > rtt.csv\n"
                 "       " PROGRAM " --check rtt.csv\n\n");
    for (i = 0; i < NUMBERS; i++) {
        fprintf(out, "  %-16s %s [", numbers[i].name, numbers[i].about);
        print_decimals(out, plan[i], numbers[i].decimals);
        fprintf(out, "%s%s]\n", numbers[i].unit[0] ? " " : "", numbers[i].unit);
    }
    fprintf(out, "  %-16s several ranks on one machine, whose names then get .0, .1 and so on\n", "--shared");
    fprintf(out, "  %-16s no progress on stderr\n", "--quiet");
}

/* A number in its units, which may stand behind it; -1 if that is not what the text is. */
static long long parse(const struct number *wanted, const char *text)
{
    const long long most = 1000000000000000LL;
    long long value = 0;
    int left = wanted->decimals, digits = 0, behind = 0;

    for (; (*text >= '0' && *text <= '9') || (*text == '.' && left > 0 && !behind); text++) {
        if (*text == '.') {
            behind = 1;
            continue;
        }
        if (behind && left-- <= 0)
            return -1;
        value = value < most ? 10 * value + (*text - '0') : most;
        digits++;
    }
    while (left-- > 0)
        value = value < most ? 10 * value : most;
    while (*text == ' ')
        text++;
    if (*text != '\0' && strcmp(text, wanted->unit) != 0)
        return -1;
    return digits > 0 ? value : -1;
}

/* Takes one option; gives how many arguments it took, 0 if it is none. */
static int take(int left, char **argv)
{
    int i;

    for (i = 0; i < NUMBERS; i++) {
        const struct number *number = &numbers[i];
        long long value;

        if (strcmp(argv[0], number->name) != 0)
            continue;
        value = left > 1 ? parse(number, argv[1]) : -1;
        if (value < number->least || value > number->most) {
            fprintf(stderr, PROGRAM ": %s needs a number from ", number->name);
            print_decimals(stderr, number->least, number->decimals);
            fprintf(stderr, " to ");
            print_decimals(stderr, number->most, number->decimals);
            fprintf(stderr, "%s%s, not `%s`\n", number->unit[0] ? " " : "", number->unit, left > 1 ? argv[1] : "");
            return 0;
        }
        plan[i] = value;
        return 2;
    }
    if (strcmp(argv[0], "--shared") == 0 || strcmp(argv[0], "--quiet") == 0) {
        plan[argv[0][2] == 's' ? SHARED : QUIET] = 1;
        return 1;
    }
    fprintf(stderr, PROGRAM ": unknown argument `%s`; --help lists what there is\n", argv[0]);
    return 0;
}

static int read_options(int argc, char **argv)
{
    int at, took;

    for (at = 1; at < argc; at += took) {
        took = take(argc - at, argv + at);
        if (took == 0)
            return USAGE;
    }
    if (plan[MOST_SAMPLES] < plan[SAMPLES]) {
        fprintf(stderr, PROGRAM ": --most-samples %lld is below --samples %lld\n", plan[MOST_SAMPLES], plan[SAMPLES]);
        return USAGE;
    }
    return FINE;
}

/* ---- Measuring ---- */

/* The 97.5 % quantile of Student's t: a table, then the expansion of Abramowitz and Stegun 26.7.5. */
static double student(int degrees)
{
    static const double table[] = {
@student@    };
    const double v = degrees;

    if (degrees <= (int)(sizeof table / sizeof table[0]))
        return table[degrees - 1];
    return 1.959963985 + (2.372271230 + (2.822498616 + (2.555849680 + 1.589534053 / v) / v) / v) / v;
}

static double mean_of(int samples)
{
    double sum = 0;
    int i;

    for (i = 0; i < samples; i++)
        sum += sample[i];
    return sum / samples;
}

/* Whether the full width of the 95 % confidence interval, 2 t s / sqrt(n), is a small enough share of the mean. */
static int is_consistent(int samples, double mean)
{
    const double t = student(samples - 1), width = (double)plan[THRESHOLD] * 1e-6 * mean;
    double squares = 0;
    int i;

    for (i = 0; i < samples; i++)
        squares += (sample[i] - mean) * (sample[i] - mean);
    return 4 * t * t * squares / (samples - 1.0) / samples <= width * width;
}

/* How many samples the next set has. */
static int next_set(int samples)
{
    return 2LL * samples < plan[MOST_SAMPLES] ? 2 * samples : (int)plan[MOST_SAMPLES];
}

static void round_trip(int with)
{
    MPI_Send(buffer, (int)plan[MESSAGE], MPI_BYTE, with, PING, MPI_COMM_WORLD);
    MPI_Recv(buffer, (int)plan[MESSAGE], MPI_BYTE, with, ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Answers so many pings. */
static void echo(int with, long long pings)
{
    while (pings-- > 0) {
        MPI_Recv(buffer, (int)plan[MESSAGE], MPI_BYTE, with, PING, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(buffer, (int)plan[MESSAGE], MPI_BYTE, with, ANSWER, MPI_COMM_WORLD);
    }
}

static void take_samples(int with, int samples)
{
    long long k;
    int i;

    for (i = 0; i < samples; i++) {
        double sum = 0;

        for (k = 0; k < plan[ROUND_TRIPS]; k++) {
            double begun = MPI_Wtime();

            round_trip(with);
            sum += MPI_Wtime() - begun;
        }
        sample[i] = sum / (double)plan[ROUND_TRIPS];
    }
}

/* Measures with one rank, which answers. */
static void measure(int with)
{
    int samples = (int)plan[SAMPLES], trusted, another;

    round_trip(with);
    for (;;) {
        take_samples(with, samples);
        row[with] = mean_of(samples);
        trusted = is_consistent(samples, row[with]);
        sets[with] = trusted ? samples : -samples;
        another = !trusted && samples < plan[MOST_SAMPLES];
        MPI_Send(&another, 1, MPI_INT, with, ANOTHER, MPI_COMM_WORLD);
        if (!another)
            return;
        samples = next_set(samples);
    }
}

/* Answers one rank until it has measured. */
static void answer(int with)
{
    int samples = (int)plan[SAMPLES], another = 1;

    for (echo(with, 1); another; samples = next_set(samples)) {
        echo(with, samples * plan[ROUND_TRIPS]);
        MPI_Recv(&another, 1, MPI_INT, with, ANOTHER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void progress(int done, int of)
{
    if (rank == 0 && !plan[QUIET] && done * 10LL / of != (done - 1) * 10LL / of)
        fprintf(stderr, PROGRAM ": %d of %d %s begun\n", done + 1, of, plan[AT_ONCE] > 0 ? "rounds" : "machines");
}

/* One rank after the other measures with all others, in their order; the turn goes round. */
static void in_turn(void)
{
    int turn, with, token = 0;

    for (turn = 0; turn < size; turn++) {
        progress(turn, size);
        if (turn != rank) {
            answer(turn);
            continue;
        }
        if (rank > 0)
            MPI_Recv(&token, 1, MPI_INT, rank - 1, TURN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (with = 0; with < size; with++)
            if (with != rank)
                measure(with);
        if (rank < size - 1)
            MPI_Send(&token, 1, MPI_INT, rank + 1, TURN, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Whom this rank meets in a round of the tournament in which each meets every other once (the circle method), and in
 * which group of pairs; -1 for nobody. */
static int partner(int round, int *group)
{
    const int seats = size + size % 2, others = seats - 1;
    int with = (int)((2LL * round + others - rank) % others), away;

    if (rank == others)
        with = round;
    else if (rank == round)
        with = others;
    if (with >= size)
        return -1;
    away = rank == others || with == others ? 0 : (rank + others - round) % others;
    if (away > others - away)
        away = others - away;
    *group = (int)((away - (seats - size)) / plan[AT_ONCE]);
    return with;
}

/* Disjoint pairs measure at the same time, first in one direction, then in the other; all wait for the last. */
static void at_once(void)
{
    const int rounds = size - 1 + size % 2;
    const int groups = (int)((size / 2 + plan[AT_ONCE] - 1) / plan[AT_ONCE]);
    int round, group;

    for (round = 0; round < rounds; round++) {
        int own = -1, with = partner(round, &own);

        progress(round, rounds);
        for (group = 0; group < groups; group++) {
            MPI_Barrier(MPI_COMM_WORLD);
            if (with < 0 || own != group)
                continue;
            if (rank < with)
                measure(with), answer(with);
            else
                answer(with), measure(with);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- Names ---- */

/* The name of this rank's machine, without what no host is called. */
static void own_name(char *name)
{
    const char *told = getenv("@PREFIX@_MACHINE");
    int length = 0;
    char *at;

    memset(name, 0, NAME_SIZE);
    if (told != NULL)
        strncpy(name, told, MPI_MAX_PROCESSOR_NAME);
    else if (MPI_Get_processor_name(name, &length) == MPI_SUCCESS)
        name[length] = '\0';
    for (at = name; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' || *at == 127)
            *at = '_';
    if (name[0] == '\0')
        snprintf(name, NAME_SIZE, "rank%d", rank);
}

static int is_taken(const char *name, char (*names)[NAME_SIZE], int count)
{
    int i;

    for (i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return 1;
    return 0;
}

/* Tells machines with several ranks apart by numbers, where that was asked for; refuses them where not. */
static int tell_apart(char (*names)[NAME_SIZE])
{
    char (*plain)[NAME_SIZE] = room((size_t)size, NAME_SIZE);
    int i, j, verdict = FINE;

    memcpy(plain, names, (size_t)size * NAME_SIZE);
    for (i = 0; i < size && verdict == FINE; i++) {
        int earlier = 0, twin = -1;

        for (j = 0; j < size; j++)
            if (j != i && strcmp(plain[i], plain[j]) == 0) {
                earlier += j < i;
                twin = j;
            }
        if (twin >= 0 && !plan[SHARED]) {
            fprintf(stderr, PROGRAM ": ranks %d and %d are both on machine `%s`: start one rank on each machine "
                                    "(README.txt), or give --shared\n", i, twin, plain[i]);
            verdict = USAGE;
        }
        while (twin >= 0 && verdict == FINE) {
            snprintf(names[i], NAME_SIZE, "%.*s.%d", MPI_MAX_PROCESSOR_NAME, plain[i], earlier++);
            if (!is_taken(names[i], plain, size) && !is_taken(names[i], names, i))
                break;
        }
    }
    free(plain);
    return verdict;
}

/* All names on rank 0, NULL elsewhere; `verdict` is the same on all ranks. */
static char (*gather_names(int *verdict))[NAME_SIZE]
{
    char name[NAME_SIZE];
    char (*names)[NAME_SIZE] = rank == 0 ? room((size_t)size, NAME_SIZE) : NULL;

    own_name(name);
    MPI_Gather(name, NAME_SIZE, MPI_CHAR, names, NAME_SIZE, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank == 0)
        *verdict = tell_apart(names);
    MPI_Bcast(verdict, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return names;
}

/* ---- Results ---- */

/* Whether a spreadsheet might run what a cell begins with, or take its apostrophe away. */
static int needs_guard(const char *cell)
{
    /* The fourth is the at sign; the last four are the full-width forms of the first four in UTF-8. */
    static const char *const first[] = {"=", "+", "-", "\100", "'", "\t", "\r", "\n",
                                        "\357\274\235", "\357\274\213", "\357\274\215", "\357\274\240"};
    size_t i;

    for (i = 0; i < sizeof first / sizeof *first; i++)
        if (strncmp(cell, first[i], strlen(first[i])) == 0)
            return 1;
    return 0;
}

/* A cell of a CSV; in quotes unless it is plain, after an apostrophe, which simnet takes away, if it might be run. */
static void print_name(const char *name)
{
    static const char *const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    const char *guard = needs_guard(name) ? "'" : "";

    if (strspn(name, plain) == strlen(name)) {
        printf("%s%s", guard, name);
        return;
    }
    printf("\"%s", guard);
    for (; *name != '\0'; name++) {
        if (*name == '"')
            putchar('"');
        putchar(*name);
    }
    putchar('"');
}

static int print_csv(const double *times, char (*names)[NAME_SIZE])
{
    int i, j;

    for (i = 0; i < size; i++) {
        putchar(',');
        print_name(names[i]);
    }
    for (i = 0; i < size; i++) {
        putchar('\n');
        print_name(names[i]);
        for (j = 0; j < size; j++) {
            double ms = times[(size_t)i * (size_t)size + (size_t)j] * 1e3;

            if (i != j && ms < 1e-6) {
                fprintf(stderr, PROGRAM ": the clock cannot tell round trips between `%s` and `%s` from none; "
                                        "a longer --message may help\n", names[i], names[j]);
                return FAILED;
            }
            if (i == j)
                fputs(",0", stdout);
            else
                printf(",%.6f", ms);
        }
    }
    putchar('\n');
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, PROGRAM ": stdout cannot be written\n");
        return FAILED;
    }
    return FINE;
}

/* What the sets say of the measurement, and which pairs are not to be trusted. */
static void print_sets(const int *all, char (*names)[NAME_SIZE], double seconds)
{
    const long long pairs = (long long)size * (size - 1);
    long long settled, doubtful = 0;
    int samples, i, j;

    if (!plan[QUIET])
        fprintf(stderr, PROGRAM ": %lld ordered pairs measured in %.3f s\n", pairs, seconds);
    for (samples = (int)plan[SAMPLES];; samples = next_set(samples)) {
        for (settled = 0, i = 0; i < size; i++)
            for (j = 0; j < size; j++)
                settled += all[(size_t)i * (size_t)size + (size_t)j] == samples;
        if (settled > 0 && !plan[QUIET])
            fprintf(stderr, PROGRAM ": %lld settled at %d samples\n", settled, samples);
        if (samples >= plan[MOST_SAMPLES])
            break;
    }
    for (i = 0; i < size; i++)
        for (j = 0; j < size; j++)
            if (all[(size_t)i * (size_t)size + (size_t)j] < 0 && doubtful++ < NAMED)
                fprintf(stderr, PROGRAM ": warning: `%s` to `%s` did not settle in %lld samples\n", names[i], names[j],
                        plan[MOST_SAMPLES]);
    if (doubtful > NAMED)
        fprintf(stderr, PROGRAM ": warning: nor did %lld more\n", doubtful - NAMED);
}

/* Brings all rows to rank 0, which prints them. */
static int results(char (*names)[NAME_SIZE], double seconds)
{
    const size_t cells = rank == 0 ? (size_t)size * (size_t)size : 0;
    double *times = room(cells, sizeof *times);
    int *all = room(cells, sizeof *all);
    int verdict = FINE;

    MPI_Gather(row, size, MPI_DOUBLE, times, size, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Gather(sets, size, MPI_INT, all, size, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        print_sets(all, names, seconds);
        verdict = print_csv(times, names);
    }
    MPI_Bcast(&verdict, 1, MPI_INT, 0, MPI_COMM_WORLD);
    free(times);
    free(all);
    return verdict;
}

/* ---- The whole ---- */

static int measure_all(char (*names)[NAME_SIZE])
{
    double begun;

    buffer = room((size_t)plan[MESSAGE], 1);
    memset(buffer, 0x5a, (size_t)plan[MESSAGE]);
    sample = room((size_t)plan[MOST_SAMPLES], sizeof *sample);
    row = room((size_t)size, sizeof *row);
    sets = room((size_t)size, sizeof *sets);
    MPI_Barrier(MPI_COMM_WORLD);
    begun = MPI_Wtime();
    if (plan[AT_ONCE] > 0)
        at_once();
    else
        in_turn();
    return results(names, MPI_Wtime() - begun);
}

static int run(int argc, char **argv)
{
    char (*names)[NAME_SIZE];
    int verdict = FINE;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        verdict = read_options(argc, argv);
    if (rank == 0 && verdict == FINE && size < 2) {
        fprintf(stderr, PROGRAM ": a single rank has nobody to measure with: start one rank on each machine "
                                "(README.txt)\n");
        verdict = USAGE;
    }
    MPI_Bcast(&verdict, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (verdict != FINE)
        return verdict;
    MPI_Bcast(plan, CHOICES, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
    names = gather_names(&verdict);
    if (verdict == FINE)
        verdict = measure_all(names);
    free(names);
    return verdict;
}

@check@
int main(int argc, char **argv)
{
    int verdict;

    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        print_usage(stdout);
        return FINE;
    }
    if (argc > 1 && strcmp(argv[1], "--check") == 0)
        return argc == 3 ? check_file(argv[2]) : (print_usage(stderr), USAGE);
    MPI_Init(&argc, &argv);
    verdict = run(argc, argv);
    MPI_Finalize();
    return verdict;
}
