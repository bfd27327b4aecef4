/* MPI_Allgather along a logical ring of @ranks@ machines.
 * @mark@
 *
@origin@ */
#ifndef @PREFIX@_ALLGATHER_H
#define @PREFIX@_ALLGATHER_H

#include <mpi.h>

/* How many ranks the ring is for: one on each machine. */
#define @PREFIX@_ALLGATHER_RANKS @ranks@

#ifdef __cplusplus
extern "C" {
#endif

/* Does what MPI_Allgather does: every argument means the same, MPI_IN_PLACE included.
 *
 * Rank r is taken to run on machine r, machines being counted from 0 in the order in which the network's file lists
 * its hosts. If it does not, the result is the same, but messages meet on the way.
 *
 * The communicator is an intracommunicator of @PREFIX@_ALLGATHER_RANKS ranks. Any other one, and any error of MPI
 * itself, goes to the communicator's error handler; if that returns, so does the error. The class of the former is
 * MPI_ERR_COMM, and MPI_Error_string says how many ranks there should be.
 *
 * Messages travel on a communicator of their own, which the first call on each communicator makes and which is freed
 * with it: no message of the user's, sent or awaited, can meet them. */
int @prefix@_allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
@indent@MPI_Datatype recvtype, MPI_Comm comm);

/* The same wherever mpirun put the ranks: they are matched with the ring's machines by the names of their hosts, as
 * MPI_Get_processor_name gives them, or else up to the first dot. A rank's environment variable @PREFIX@_MACHINE,
 * where set, is taken instead.
 *
 * Unless there is one rank on each machine, all ranks end with an error of class MPI_ERR_COMM that says so. */
int @prefix@_allgather_by_name(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
@indent@        int recvcount, MPI_Datatype recvtype, MPI_Comm comm);

#ifdef __cplusplus
}
#endif

#endif
