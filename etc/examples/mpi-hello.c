/* An MPI program that says who runs where. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
    int rank, size, length;
    char host[MPI_MAX_PROCESSOR_NAME];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_processor_name(host, &length);
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("hello from rank %d of %d on %s, sum of ranks %d\n", rank, size, host, sum);
    MPI_Finalize();
    return 0;
}
