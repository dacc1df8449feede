! Strings: building, splitting, searching, sorting, as old codes do it.
!
!     strings [LINES]
!
! Writes each line into an internal file, splits it at its blanks, counts the
! letters, and keeps the words sorted in a list of fixed length.
program strings
  implicit none
  integer, parameter :: longest = 12, most = 200
  character(len=longest) :: kept(most)
  character(len=80) :: line
  character(len=16) :: text
  integer :: lines, number, held, letters(0:25), seed

  lines = 42000
  if (command_argument_count() > 0) then
    call get_command_argument(1, text)
    read (text, *) lines
  end if
  held = 0
  letters = 0
  seed = 20261
  do number = 1, lines
    call write_line(number, line)
    call split(trim(line))
  end do
  print '(a, i0, a, a, a, a, a, i0)', 'words ', held, ' first ', trim(kept(1)), ' last ', trim(kept(held)), &
    ' letters ', sum(letters)

contains

  integer function random(limit)
    integer, intent(in) :: limit
    seed = mod(seed * 421 + 1663, 7875)
    random = mod(seed, limit)
  end function random

  subroutine write_line(number, line)
    integer, intent(in) :: number
    character(len=*), intent(out) :: line
    character(len=longest) :: word
    integer :: i, k
    write (line, '(i0)') number
    do i = 1, 4
      word = ''
      do k = 1, 2 + random(3)
        word(k:k) = achar(iachar('a') + random(26))
      end do
      line = trim(line)//' '//trim(word)
    end do
  end subroutine write_line

  subroutine split(line)
    character(len=*), intent(in) :: line
    integer :: start, stop
    start = 1
    do while (start <= len(line))
      stop = index(line(start:), ' ') + start - 2
      if (stop < start) stop = len(line)
      if (verify(line(start:stop), '0123456789') /= 0) call keep(line(start:stop))
      start = stop + 2
    end do
  end subroutine split

  subroutine keep(word)
    character(len=*), intent(in) :: word
    character(len=longest) :: padded
    integer :: i, at
    do i = 1, len(word)
      at = iachar(word(i:i)) - iachar('a')
      letters(at) = letters(at) + 1
    end do
    padded = word
    at = 1
    do while (at <= held)
      if (kept(at) >= padded) exit
      at = at + 1
    end do
    if (at <= held) then
      if (kept(at) == padded) return
    end if
    if (at > most) return
    held = min(held + 1, most)
    kept(at+1:held) = kept(at:held-1)
    kept(at) = padded
  end subroutine keep

end program strings
