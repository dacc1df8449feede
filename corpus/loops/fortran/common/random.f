c     x := a x mod 2**46, in pieces of 23 bits so that nothing overflows
c     in 64. The state is an integer; what comes out lies in (0, 1).
      double precision function uniform(x, a)
      implicit none
      integer*8 x, a
      integer*8 half, whole, x1, x0, a1, a0, middle
      parameter (half = 8388608_8, whole = 70368744177664_8)
      a1 = a / half
      a0 = a - a1 * half
      x1 = x / half
      x0 = x - x1 * half
      middle = mod(a1 * x0 + a0 * x1, half)
      x = mod(middle * half + a0 * x0, whole)
      uniform = dble(x) / dble(whole)
      return
      end

c     n of them at once.
      subroutine uniforms(n, x, a, y)
      implicit none
      integer n, i
      integer*8 x, a
      double precision y(*), uniform
      external uniform
      do i = 1, n
         y(i) = uniform(x, a)
      end do
      return
      end

c     a**n mod 2**46 by squaring: the loop halves n.
      subroutine power(a, n, result)
      implicit none
      integer*8 a, result, base, junk
      integer n, m
      double precision uniform, t
      external uniform
      result = 1
      base = a
      m = n
      do while (m .gt. 0)
         if (mod(m, 2) .eq. 1) t = uniform(result, base)
         junk = base
         t = uniform(base, junk)
         m = m / 2
      end do
      return
      end
