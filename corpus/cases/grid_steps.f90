module grid_steps
  use grid_base
  implicit none
contains
  integer function step(n)
    integer, intent(in) :: n
    step = mod(n * width + 3, 101)
  end function step
end module grid_steps
