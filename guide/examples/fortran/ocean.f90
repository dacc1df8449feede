! Columns of an ocean, each with as many layers as it is deep, and what drifts in each layer.
program ocean
  implicit none
  integer, parameter :: tracers = 300
  integer :: columns, steps, i, k, m, step, seed
  integer, allocatable :: depth(:)
  real(8), allocatable :: load(:, :, :)
  real(8) :: flow
  character(len=32) :: word
  call get_command_argument(1, word)
  read (word, *) columns
  call get_command_argument(2, word)
  read (word, *) steps
  allocate (depth(columns), load(tracers, 0:65, columns))
  seed = 17
  do i = 1, columns
    seed = mod(seed * 1103 + 12345, 65536)
    depth(i) = 4 + mod(seed, 60)
  end do
  load = 1
  do step = 1, steps
    do i = 1, columns
      do k = 1, depth(i)
        do m = 1, tracers
          flow = 0.1d0 * (load(m, k - 1, i) - load(m, k, i))
          load(m, k, i) = load(m, k, i) + flow
          load(m, k - 1, i) = load(m, k - 1, i) - flow
        end do
      end do
    end do
  end do
  print *, 'load', sum(load)
end program ocean
