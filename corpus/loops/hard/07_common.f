c     Bounds in COMMON: set in another subroutine, or by a READ that may
c     fail. The count of a DO is fixed where it is entered, whatever
c     becomes of the bound.

      program common_bound
      implicit none
      integer total
      call set_sizes
      total = 0
      call count_to(total)
      call count_down(total)
      call shrinks(total)
      call of_argument(9, total)
      call of_argument(-2, total)
      call rectangle(total)
      call waits(total)
      write (*, *) 'common', total
      if (total .ne. 373) stop 1
      end

c     12, 8 and 3, unless common.data says something else.
      subroutine set_sizes
      implicit none
      integer m, n, s, status
      common /sizes/ m, n, s
      m = 12
      n = 8
      s = 3
      open (unit=9, file='common.data', status='old', iostat=status)
      if (status .eq. 0) then
         read (9, *, iostat=status) m, n
         close (9)
      end if
      return
      end

      subroutine count_to(total)
      implicit none
      integer m, n, s, total, i
      common /sizes/ m, n, s
      do i = 1, m ! expect: body=max(m,0) quality=exact input=common.data
         total = total + i
      end do
      return
      end

      subroutine count_down(total)
      implicit none
      integer m, n, s, total, k
      common /sizes/ m, n, s
      do k = n-1, 1, -1 ! expect: body=max(n-1,0) quality=exact
         total = total + k
      end do
      do k = n, 1, -2 ! expect: body=max((n+1)/2,0) quality=exact
         total = total + k
      end do
      do k = 1, m, s ! expect: body=max((m-1+s)/s,0) quality=exact
         total = total + k
      end do
      return
      end

c     The bound moves while the loop runs; the count does not.
      subroutine shrinks(total)
      implicit none
      integer m, n, s, total, i
      common /sizes/ m, n, s
      do i = 1, m ! expect: body=max(m,0) quality=exact
         m = m - 1
         total = total + 1
      end do
      m = 12
      return
      end

c     By reference, and a constant at each call.
      subroutine of_argument(k, total)
      implicit none
      integer k, total, i
      do i = 1, k ! expect: body=max(k,0) quality=exact
         total = total + i
      end do
      return
      end

c     A rectangle and a triangle below it.
      subroutine rectangle(total)
      implicit none
      integer m, n, s, total, i, j
      common /sizes/ m, n, s
      do j = 1, n ! expect: body=max(n,0) quality=exact
         do i = 1, m ! expect: body=max(m,0) quality=exact
            total = total + 1
         end do
         do i = j, n ! expect: body=n-j+1 quality=exact
            total = total + 1
         end do
      end do
      return
      end

c     DO WHILE looks each time.
      subroutine waits(total)
      implicit none
      integer m, n, s, total, i
      common /sizes/ m, n, s
      i = 0
      do while (i .lt. n) ! expect: body=max(n,0) quality=exact
         i = i + 1
         total = total + i
      end do
      return
      end
