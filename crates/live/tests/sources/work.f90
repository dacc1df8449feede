module parts
  use iso_c_binding
  implicit none
  real(c_double), parameter :: weights(8) = [1.5d0, 2.25d0, 3.125d0, 4d0, 5.5d0, 6.75d0, 7d0, 8.875d0]
  interface
    function helper(x) bind(c)
      import :: c_int
      integer(c_int), value :: x
      integer(c_int) :: helper
    end function
  end interface
contains
  function chosen(x) result(r)
    integer, intent(in) :: x
    integer :: r
    select case (x)
    case (0); r = 11
    case (1); r = 7 * V
    case (2); r = helper(3)
    case (3); r = -4
    case (4); r = 99
    case (5); r = 5 * x
    case default; r = x + V
    end select
  end function
end module
function work(x) bind(c) result(r)
  use parts
  implicit none
  integer(c_int), value :: x
  integer(c_int) :: r
  real(c_double) :: a(8, 8), s
  complex(c_double) :: z
  integer :: i, j
  do j = 1, 8
    do i = 1, 8
      a(i, j) = weights(i) * j + x
    end do
  end do
  a = matrix(a)
  s = 0
  do i = 1, 8
    s = s + sin(a(i, i)) + sqrt(abs(a(i, 9 - i))) + V
  end do
  z = exp(cmplx(0.1d0 * x, 0.2d0, c_double))
  r = int(s * 100) + chosen(x) + int(real(z) * 1000) + helper(x)
contains
  pure function matrix(b) result(c)
    real(c_double), intent(in) :: b(8, 8)
    real(c_double) :: c(8, 8)
    integer :: k, l
    forall (k = 1:8, l = 1:8) c(k, l) = sum(b(k, :) * b(:, l)) * 1d-2
  end function
end function
