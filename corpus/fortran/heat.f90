! Heat in a plate: the five-point stencil, whole-array and by loops.
!
!     heat [STEPS]
!
! The plate is 200 x 200, hot on one side. Half of the steps are written as an
! array expression, half as nested loops, for a compiler makes different code
! of them. Prints the sum and the middle to ten digits.
program heat
  implicit none
  integer, parameter :: side = 200, real64 = kind(1d0)
  real(real64) :: plate(0:side+1, 0:side+1), next(0:side+1, 0:side+1)
  integer :: steps, step
  character(len=16) :: text

  steps = 6400
  if (command_argument_count() > 0) then
    call get_command_argument(1, text)
    read (text, *) steps
  end if
  plate = 0
  plate(0, :) = 100
  next = plate
  do step = 1, steps
    if (mod(step, 2) == 0) then
      next(1:side, 1:side) = 0.25_real64 * (plate(0:side-1, 1:side) + plate(2:side+1, 1:side) &
        + plate(1:side, 0:side-1) + plate(1:side, 2:side+1))
    else
      call spread_by_loops(plate, next)
    end if
    plate = next
  end do
  print '(a, i0, a, es17.9, a, es17.9)', 'steps ', steps, ' sum ', sum(plate), ' middle ', plate(side/2, side/2)

contains

  subroutine spread_by_loops(from, to)
    real(real64), intent(in) :: from(0:side+1, 0:side+1)
    real(real64), intent(inout) :: to(0:side+1, 0:side+1)
    integer :: i, j
    do j = 1, side
      do i = 1, side
        to(i, j) = 0.25_real64 * (from(i-1, j) + from(i+1, j) + from(i, j-1) + from(i, j+1))
      end do
    end do
  end subroutine spread_by_loops

end program heat
