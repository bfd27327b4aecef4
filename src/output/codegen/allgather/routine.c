/* MPI_Allgather along a logical ring of @ranks@ machines.
 * @mark@
 *
@origin@ *
 * Compile with mpicc; C99 and MPI 2.2 or later. See @prefix@_allgather.h for what it promises.
 */
#include "@prefix@_allgather.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = @ranks@, TAG = 1 };

/* The machines in ring order: the machine at each place sends to the one at the next place, the last to the first. */
static const int ring[RANKS] = {
@ring@};

/* Their names, machine 0 first; 0 for a name that no host can have. */
static const char *const machines[RANKS] = {
@machines@};

/* What is kept with a communicator: one of our own, on which no message of the user's can meet ours. */
struct circle {
    MPI_Comm comm;
    int *by_name; /* ranks in ring order as the names of their hosts give it; 0 until asked for */
};

static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
static int keyval = MPI_KEYVAL_INVALID;
static int finishing = 0;
static int wrong_size, wrong_machines;

/* Ends the circle of a communicator that is being freed. */
static int forget(MPI_Comm comm, int key, void *value, void *extra)
{
    struct circle *circle = value;
    int code = MPI_SUCCESS;

    (void)comm, (void)key, (void)extra;
    if (!finishing)
        code = MPI_Comm_free(&circle->comm);
    free(circle->by_name);
    free(circle);
    return code;
}

/* MPI_Finalize begins: attributes of MPI_COMM_SELF go first, so that MPI can still be called here. */
static int finish(MPI_Comm comm, int key, void *value, void *extra)
{
    void *circle;
    int found = 0;

    (void)comm, (void)key, (void)value, (void)extra;
    MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, &circle, &found);
    if (found)
        MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval);
    finishing = 1;
    return MPI_Comm_free_keyval(&keyval);
}

static int add_error(int *code, const char *text)
{
    int failed = MPI_Add_error_code(MPI_ERR_COMM, code);

    return failed ? failed : MPI_Add_error_string(*code, text);
}

static int prepare_once(void)
{
    int code, last, created;

    code = add_error(&wrong_size, "@prefix@_allgather: this ring is for an intracommunicator of @ranks@ ranks");
    if (code == MPI_SUCCESS)
        code = add_error(&wrong_machines,
                         "@prefix@_allgather_by_name: the ranks are not one on each of the ring's @ranks@ machines");
    if (code == MPI_SUCCESS)
        code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finish, &last, NULL);
    if (code != MPI_SUCCESS)
        return code;
    code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &created, NULL);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_set_attr(MPI_COMM_SELF, last, NULL);
    if (code == MPI_SUCCESS)
        keyval = created;
    MPI_Comm_free_keyval(&last);
    return code;
}

/* The first call of a process registers what all later ones use; threads may come at the same time. */
static int prepare(void)
{
    int code = MPI_SUCCESS;

    pthread_mutex_lock(&once);
    if (keyval == MPI_KEYVAL_INVALID)
        code = prepare_once();
    pthread_mutex_unlock(&once);
    return code;
}

/* Whether this is an intracommunicator with as many ranks as the ring has machines. */
static int check_size(MPI_Comm comm)
{
    int inter, size;
    int code = MPI_Comm_test_inter(comm, &inter);

    if (code == MPI_SUCCESS)
        code = MPI_Comm_size(comm, &size);
    if (code != MPI_SUCCESS)
        return code;
    return inter || size != RANKS ? wrong_size : MPI_SUCCESS;
}

/* A communicator of the same ranks in the same order, without the user's attributes, topology and error handler. */
static int private_comm(MPI_Comm comm, MPI_Comm *own)
{
    MPI_Group group;
    int code = MPI_Comm_group(comm, &group);

    if (code != MPI_SUCCESS)
        return code;
    code = MPI_Comm_create(comm, group, own);
    MPI_Group_free(&group);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_set_errhandler(*own, MPI_ERRORS_RETURN);
    return code;
}

/* The circle of a communicator; made, by all its ranks together, the first time. */
static int circle_of(MPI_Comm comm, struct circle **circle)
{
    int found = 0, code;
    void *kept;

    code = MPI_Comm_get_attr(comm, keyval, &kept, &found);
    if (code != MPI_SUCCESS)
        return code;
    if (found) {
        *circle = kept;
        return MPI_SUCCESS;
    }
    *circle = malloc(sizeof **circle);
    if (*circle == NULL)
        return MPI_ERR_NO_MEM;
    (*circle)->by_name = NULL;
    code = private_comm(comm, &(*circle)->comm);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_set_attr(comm, keyval, *circle);
    if (code != MPI_SUCCESS)
        free(*circle);
    return code;
}

/* Whether two names agree up to their first dot. */
static int same_host(const char *a, const char *b)
{
    size_t length = strcspn(a, ".");

    return length > 0 && length == strcspn(b, ".") && memcmp(a, b, length) == 0;
}

/* The machine of this name; else the only one that agrees with it up to the first dot; else -1. */
static int machine_called(const char *name)
{
    int machine, found = -1;

    for (machine = 0; machine < RANKS; machine++)
        if (machines[machine] != NULL && strcmp(machines[machine], name) == 0)
            return machine;
    for (machine = 0; machine < RANKS; machine++) {
        if (machines[machine] == NULL || !same_host(machines[machine], name))
            continue;
        if (found >= 0)
            return -1;
        found = machine;
    }
    return found;
}

/* The machine that this process runs on; -1 if it is none of the ring's. */
static int own_machine(void)
{
    char name[MPI_MAX_PROCESSOR_NAME + 1];
    const char *told = getenv("@PREFIX@_MACHINE");
    int length = 0;

    if (told != NULL)
        return machine_called(told);
    if (MPI_Get_processor_name(name, &length) != MPI_SUCCESS)
        return -1;
    name[length] = '\0';
    return machine_called(name);
}

/* Fills in the ranks in ring order, given each rank's machine; `rank_of` has room for one number a machine. */
static int order_by(const int *machine_of, int *rank_of, int *order)
{
    int i;

    for (i = 0; i < RANKS; i++)
        rank_of[i] = -1;
    for (i = 0; i < RANKS; i++) {
        if (machine_of[i] < 0 || rank_of[machine_of[i]] >= 0)
            return wrong_machines;
        rank_of[machine_of[i]] = i;
    }
    for (i = 0; i < RANKS; i++)
        order[i] = rank_of[ring[i]];
    return MPI_SUCCESS;
}

/* Finds the ranks in ring order by the names of their hosts; all ranks come to the same end. */
static int find_by_name(struct circle *circle)
{
    int *numbers = malloc(3 * sizeof *numbers * RANKS);
    int mine = own_machine();
    int code;

    if (numbers == NULL)
        return MPI_ERR_NO_MEM;
    code = PMPI_Allgather(&mine, 1, MPI_INT, numbers + RANKS, 1, MPI_INT, circle->comm);
    if (code == MPI_SUCCESS)
        code = order_by(numbers + RANKS, numbers + 2 * RANKS, numbers);
    if (code == MPI_SUCCESS)
        circle->by_name = numbers;
    else
        free(numbers);
    return code;
}

/* The ring itself: what came from the previous machine goes on to the next one, RANKS - 1 times. */
static int go_round(char *blocks, int count, MPI_Datatype type, MPI_Aint stride, const int *order, int rank,
                    MPI_Comm comm)
{
    int place = 0, step, code = MPI_SUCCESS;
    int next, previous;

    while (order[place] != rank)
        place++;
    next = order[(place + 1) % RANKS];
    previous = order[(place + RANKS - 1) % RANKS];
    for (step = 0; step < RANKS - 1 && code == MPI_SUCCESS; step++) {
        int leaves = order[(place + RANKS - step) % RANKS];
        int comes = order[(place + RANKS - step - 1) % RANKS];

        code = MPI_Sendrecv(blocks + leaves * stride, count, type, next, TAG, blocks + comes * stride, count, type,
                            previous, TAG, comm, MPI_STATUS_IGNORE);
    }
    return code;
}

static int gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                  MPI_Datatype recvtype, const int *order, MPI_Comm comm)
{
    MPI_Aint lower, extent, stride;
    int rank;
    int code = MPI_Comm_rank(comm, &rank);

    if (code == MPI_SUCCESS)
        code = MPI_Type_get_extent(recvtype, &lower, &extent);
    if (code != MPI_SUCCESS)
        return code;
    stride = recvcount * extent;
    if (sendbuf != MPI_IN_PLACE)
        code = MPI_Sendrecv(sendbuf, sendcount, sendtype, rank, TAG, (char *)recvbuf + rank * stride, recvcount,
                            recvtype, rank, TAG, comm, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS)
        return code;
    return go_round(recvbuf, recvcount, recvtype, stride, order, rank, comm);
}

static int check_data(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int recvcount,
                      MPI_Datatype recvtype)
{
    int sends = sendbuf != MPI_IN_PLACE;

    if (recvcount < 0 || (sends && sendcount < 0))
        return MPI_ERR_COUNT;
    if (recvtype == MPI_DATATYPE_NULL || (sends && sendtype == MPI_DATATYPE_NULL))
        return MPI_ERR_TYPE;
    return MPI_SUCCESS;
}

/* Hands an error to the communicator's handler. Where that ends the program, what is wrong is said first: of what
 * the handler has to say, some launchers lose a part. */
static int report(MPI_Comm comm, int code)
{
    char text[MPI_MAX_ERROR_STRING + 1];
    MPI_Errhandler handler;
    int rank = 0, length = 0;
    int everywhere = code == wrong_size || code == wrong_machines;

    if (MPI_Comm_get_errhandler(comm, &handler) == MPI_SUCCESS) {
        if (handler == MPI_ERRORS_ARE_FATAL && MPI_Error_string(code, text, &length) == MPI_SUCCESS) {
            MPI_Comm_rank(comm, &rank);
            if (rank == 0 || !everywhere)
                fprintf(stderr, "rank %d: %s\n", rank, text);
        }
        MPI_Errhandler_free(&handler);
    }
    MPI_Comm_call_errhandler(comm, code);
    return code;
}

static int allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                     MPI_Datatype recvtype, int by_name, MPI_Comm comm)
{
    struct circle *circle;
    int code = prepare();

    if (code == MPI_SUCCESS)
        code = check_size(comm);
    if (code == MPI_SUCCESS)
        code = check_data(sendbuf, sendcount, sendtype, recvcount, recvtype);
    if (code == MPI_SUCCESS)
        code = circle_of(comm, &circle);
    if (code == MPI_SUCCESS && by_name && circle->by_name == NULL)
        code = find_by_name(circle);
    /* Nothing to be moved, and nothing wrong either. */
    if (code == MPI_SUCCESS && (recvcount > 0 || (sendbuf != MPI_IN_PLACE && sendcount > 0)))
        code = gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, by_name ? circle->by_name : ring,
                      circle->comm);
    return code == MPI_SUCCESS ? code : report(comm, code);
}

int @prefix@_allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
@indent@MPI_Datatype recvtype, MPI_Comm comm)
{
    return allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, 0, comm);
}

int @prefix@_allgather_by_name(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
@indent@        int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, 1, comm);
}

#ifdef @PREFIX@_REPLACES_MPI
/* Takes the place of MPI_Allgather in a program that is linked or loaded with this: see the Makefile. */
int MPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                  MPI_Datatype recvtype, MPI_Comm comm)
{
    if (comm != MPI_COMM_NULL && prepare() == MPI_SUCCESS && check_size(comm) == MPI_SUCCESS)
        return @prefix@_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    return PMPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}
#endif
