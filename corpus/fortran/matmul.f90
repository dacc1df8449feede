! Matrix products three ways: the intrinsic, three loops, and dot_product.
!
!     matmul [SIZE]
!
! Integer matrices, so the three must agree to the digit; it stops with
! status 1 if they do not.
program products
  implicit none
  integer, allocatable :: a(:, :), b(:, :), c(:, :), d(:, :), e(:, :)
  integer :: n, i, j, k
  character(len=16) :: text

  n = 520
  if (command_argument_count() > 0) then
    call get_command_argument(1, text)
    read (text, *) n
  end if
  allocate (a(n, n), b(n, n), c(n, n), d(n, n), e(n, n))
  do j = 1, n
    do i = 1, n
      a(i, j) = mod(i * 7 + j * 13, 101)
      b(i, j) = mod(i * 3 + j * 5, 97) - 48
    end do
  end do

  c = matmul(a, b)
  d = 0
  do j = 1, n
    do k = 1, n
      do i = 1, n
        d(i, j) = d(i, j) + a(i, k) * b(k, j)
      end do
    end do
  end do
  do j = 1, n
    do i = 1, n
      e(i, j) = dot_product(a(i, :), b(:, j))
    end do
  end do

  if (any(c /= d) .or. any(c /= e)) stop 1
  print '(a, i0, a, i0, a, i0)', 'size ', n, ' sum ', sum(c), ' corner ', c(n, n)
end program products
