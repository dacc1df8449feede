program uses_grid
  use grid_steps, only: step
  implicit none
  integer :: i, n
  n = 1
  do i = 1, 50
    n = step(n)
  end do
  print *, n
end program uses_grid
