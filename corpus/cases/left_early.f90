! The loop begins at line 5.
program early
  integer :: total, i
  total = 0
  do i = 1, 10
    if (total < 0) exit
    total = total + 3
  end do
  print *, total
end program
