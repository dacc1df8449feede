! Heat in a square plate. Sweeps over the grid until the change is small.
program heat
  implicit none
  integer :: n, sweeps, sweep, i, j
  real(8) :: tolerance, change
  real(8), allocatable :: old(:, :), new(:, :)

  read *, n, sweeps, tolerance
  allocate (old(n, n), new(n, n))
  old = 0
  old(:, 1) = 100
  new = old

  do sweep = 1, sweeps
    do j = 2, n - 1
      do i = 2, n - 1
        new(i, j) = 0.25d0 * (old(i - 1, j) + old(i + 1, j) + old(i, j - 1) + old(i, j + 1))
      end do
    end do
    change = maxval(abs(new - old))
    if (change < tolerance) exit
    old = new
  end do

  call smooth(new, n)
  print '(a, i0, a, f10.6)', 'sweeps ', sweep, ', centre ', new(n / 2, n / 2)

contains

  ! Adds to each point what lies below it: a triangle.
  subroutine smooth(field, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: field(n, n)
    integer :: i, j
    do j = 1, n
      do i = j + 1, n
        field(j, j) = field(j, j) + field(i, j) / n
      end do
    end do
  end subroutine
end program
