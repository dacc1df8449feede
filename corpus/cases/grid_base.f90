module grid_base
  implicit none
  integer, parameter :: width = 7
end module grid_base
