/* Compares @prefix@_allgather with MPI_Allgather, byte for byte.
 * @mark@
 *
 * Prints a line that begins with OK and ends with exit code 0 if all is well; says what is wrong and ends with 1
 * if not. Runs on @ranks@ ranks: make check.
 */
#include "@prefix@_allgather.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 8, COUNTS = 6, SLACK = 64, MOST = 4 << 20 };

static const int counts[COUNTS] = {0, 1, 3, 64, 1021, 70000};

/* A way to describe data: `send_per` of `send` are as much as one of `recv`. */
struct kind {
    const char *name;
    MPI_Datatype send, recv;
    int send_per;
};

typedef int routine(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);

struct mixed {
    char letter;
    double number;
    short rest;
};

static int rank, size, cases, faults;

static MPI_Datatype committed(MPI_Datatype type)
{
    MPI_Type_commit(&type);
    return type;
}

static MPI_Datatype resized(MPI_Datatype type, MPI_Aint lower, MPI_Aint extent)
{
    MPI_Datatype result;

    MPI_Type_create_resized(type, lower, extent, &result);
    MPI_Type_free(&type);
    return committed(result);
}

static MPI_Datatype contiguous(int count, MPI_Datatype type)
{
    MPI_Datatype result;

    MPI_Type_contiguous(count, type, &result);
    return committed(result);
}

static MPI_Datatype vector(int count, int stride, MPI_Datatype type)
{
    MPI_Datatype result;

    MPI_Type_vector(count, 1, stride, type, &result);
    return committed(result);
}

static MPI_Datatype structure(void)
{
    int lengths[3] = {1, 1, 1};
    MPI_Aint places[3] = {offsetof(struct mixed, letter), offsetof(struct mixed, number), offsetof(struct mixed, rest)};
    MPI_Datatype types[3] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT};
    MPI_Datatype result;

    MPI_Type_create_struct(3, lengths, places, types, &result);
    return resized(result, 0, sizeof(struct mixed));
}

/* A kind of data for blocks of so many; the blocks of a column lie between those of the others. */
static struct kind kind_of(int which, int count)
{
    const MPI_Aint item = sizeof(int);
    struct kind kind = {"bytes", MPI_BYTE, MPI_BYTE, 1};

    switch (which) {
    case 1: return (struct kind){"integers", MPI_INT, MPI_INT, 1};
    case 2: return (struct kind){"doubles", MPI_DOUBLE, MPI_DOUBLE, 1};
    case 3: return (struct kind){"every other integer", vector(3, 2, MPI_INT), vector(3, 2, MPI_INT), 1};
    case 4:
        kind.name = "columns of a matrix, sent as rows";
        kind.send = contiguous(3, MPI_INT);
        kind.recv = resized(vector(3, count > 0 ? count * size : 1, MPI_INT), 0, item);
        return kind;
    case 5: return (struct kind){"structures with holes", structure(), structure(), 1};
    case 6: return (struct kind){"pairs, sent one by one", MPI_INT, contiguous(2, MPI_INT), 2};
    case 7:
        kind.name = "integers behind a negative lower bound";
        kind.send = resized(contiguous(1, MPI_INT), -item, 3 * item);
        kind.recv = resized(contiguous(1, MPI_INT), -item, 2 * item);
        return kind;
    default: return kind;
    }
}

static void release(MPI_Datatype *type)
{
    int integers, addresses, types, combiner;

    MPI_Type_get_envelope(*type, &integers, &addresses, &types, &combiner);
    if (combiner != MPI_COMBINER_NAMED)
        MPI_Type_free(type);
}

/* Bytes from the first to the last of so many, and room before and after. */
static size_t room(MPI_Datatype type, size_t count)
{
    MPI_Aint lower, extent, true_lower, true_extent;

    MPI_Type_get_extent(type, &lower, &extent);
    MPI_Type_get_true_extent(type, &true_lower, &true_extent);
    return count * (size_t)extent + (size_t)true_extent + 2 * SLACK;
}

static unsigned char *filled(size_t bytes, unsigned salt)
{
    unsigned char *buffer = malloc(bytes);
    unsigned value = salt * 2654435761u + 12345u;
    size_t i;

    if (buffer == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (i = 0; i < bytes; i++) {
        value = value * 1664525u + 1013904223u;
        buffer[i] = (unsigned char)(value >> 24);
    }
    return buffer;
}

static void fault(const char *what, int count)
{
    fprintf(stderr, "rank %d: wrong: %s, count %d\n", rank, what, count);
    faults++;
}

/* One call of each, from equal buffers to equal buffers. */
static void compare(routine *tested, const struct kind *kind, int count, int in_place, MPI_Comm comm)
{
    size_t sends = room(kind->send, (size_t)count * (size_t)kind->send_per);
    size_t takes = room(kind->recv, (size_t)count * (size_t)size);
    unsigned char *from = filled(sends, (unsigned)rank + 1);
    unsigned char *ours = filled(takes, (unsigned)rank + 1000003);
    unsigned char *theirs = filled(takes, (unsigned)rank + 1000003);
    const void *sent = in_place ? MPI_IN_PLACE : (const void *)(from + SLACK);
    int a = tested(sent, count * kind->send_per, kind->send, ours + SLACK, count, kind->recv, comm);
    int b = PMPI_Allgather(sent, count * kind->send_per, kind->send, theirs + SLACK, count, kind->recv, comm);

    if (a != MPI_SUCCESS || b != MPI_SUCCESS || memcmp(ours, theirs, takes) != 0)
        fault(kind->name, count);
    cases++;
    free(from);
    free(ours);
    free(theirs);
}

static void compare_all(routine *tested, MPI_Comm comm)
{
    int which, i, in_place;

    for (which = 0; which < KINDS; which++)
        for (i = 0; i < COUNTS; i++) {
            struct kind kind = kind_of(which, counts[i]);

            if (i < 3 || room(kind.recv, (size_t)counts[i] * (size_t)size) < MOST)
                for (in_place = 0; in_place < 2; in_place++)
                    compare(tested, &kind, counts[i], in_place, comm);
            release(&kind.send);
            release(&kind.recv);
        }
}

/* The ranks the other way round, and communicators that come and go. */
static void other_communicators(void)
{
    struct kind kind = kind_of(1, 1);
    MPI_Comm comm;
    int i;

    for (i = 0; i < 3; i++) {
        MPI_Comm_split(MPI_COMM_WORLD, 0, i == 0 ? size - rank : (rank + i) % size, &comm);
        compare(@prefix@_allgather, &kind, 5, 0, comm);
        compare(@prefix@_allgather, &kind, 5, 1, comm);
        MPI_Comm_free(&comm);
    }
}

/* A receive that takes anything from anyone is under way: the routine's messages are not for it. */
static void beside_other_messages(void)
{
    struct kind kind = kind_of(1, 1);
    int sent = 4711 + rank, got = 0;
    MPI_Request request;
    MPI_Status status;

    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    compare(@prefix@_allgather, &kind, 1, 0, MPI_COMM_WORLD);
    MPI_Send(&sent, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    if (got != 4711 + (rank + size - 1) % size)
        fault("a message of the user's went astray", 1);
}

/* Calls it on a communicator that may be wrong; gives the class of the error, its text in `text`. */
static int outcome(routine *tested, MPI_Comm comm, char *text)
{
    int *all = calloc((size_t)size + 1, sizeof *all);
    int code, length = 0, class = MPI_SUCCESS;

    if (all == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    code = tested(&rank, 1, MPI_INT, all, 1, MPI_INT, comm);
    MPI_Error_class(code, &class);
    MPI_Error_string(code, text, &length);
    free(all);
    return class;
}

static void wrong_size(void)
{
    char text[MPI_MAX_ERROR_STRING + 1];
    MPI_Comm part;

    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, 0, &part);
    if (outcome(@prefix@_allgather, part, text) != MPI_ERR_COMM || strstr(text, "@ranks@ ranks") == NULL)
        fault("no clear error for a communicator of the wrong size", 1);
    cases++;
    MPI_Comm_free(&part);
}

/* Where the ranks are one on each of the ring's machines the result is right; elsewhere that is what is said. */
static const char *by_name(void)
{
    char text[MPI_MAX_ERROR_STRING + 1];
    const char *verdict = "not on the ring's machines, and told so";
    MPI_Comm comm;
    int class;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    class = outcome(@prefix@_allgather_by_name, comm, text);
    if (class == MPI_SUCCESS) {
        verdict = "right";
        compare_all(@prefix@_allgather_by_name, comm);
    } else if (class != MPI_ERR_COMM) {
        fault("by name", 1);
    }
    MPI_Comm_free(&comm);
    return verdict;
}

/* On another number of ranks there is only the error to be seen. */
static int refused(void)
{
    char text[MPI_MAX_ERROR_STRING + 1];

    if (outcome(@prefix@_allgather, MPI_COMM_WORLD, text) == MPI_SUCCESS)
        strcpy(text, "no error for a communicator of the wrong size");
    if (rank == 0)
        fprintf(stderr, "FAILED: %s, not %d\n", text, size);
    return 1;
}

static int check(void)
{
    const char *named;
    int total = 0;

    compare_all(@prefix@_allgather, MPI_COMM_WORLD);
    other_communicators();
    beside_other_messages();
    wrong_size();
    named = by_name();
    MPI_Allreduce(&faults, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && total == 0)
        printf("OK: %d ranks, %d cases as MPI_Allgather; by name: %s\n", size, cases, named);
    if (rank == 0 && total != 0)
        printf("FAILED: %d faults on %d ranks\n", total, size);
    return total != 0;
}

int main(int argc, char **argv)
{
    int failed;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    failed = size == @PREFIX@_ALLGATHER_RANKS ? check() : refused();
    MPI_Finalize();
    return failed;
}
