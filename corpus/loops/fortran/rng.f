c     rng: pairs of random numbers in blocks that know nothing of each
c     other: each finds its own seed, and pairs outside the circle are
c     rejected.

      program rng
      include 'rng.inc'
      integer i, k, fstatus
      double precision sx, sy, gc, total, found(6), wanted(6)
      logical verified

      m = m_default
      open (unit=2, file='inputrng.data', status='old', iostat=fstatus)
      if (fstatus .eq. 0) then
         read (2, *) m
         close (2)
      end if
      if (m .lt. mk .or. m .gt. 30) then
         write (*, *) 'm lies between', mk, ' and 30'
         stop 2
      end if
      nn = 2**(m-mk)
      np = nn
      do i = 0, nq-1
         q(i) = 0.0d0
      end do
      sx = 0.0d0
      sy = 0.0d0
      call timer_clear(1)
      call timer_start(1)
      do k = 1, np
         call block(k-1, sx, sy)
      end do
      call timer_stop(1)
      gc = 0.0d0
      do i = 0, nq-1
         gc = gc + q(i)
      end do
      call gamma_variates(nn, total)
      call walks(nn, found(5), found(6))

      found(1) = sx
      found(2) = sy
      found(3) = gc
      found(4) = total
      do i = 1, 6
         wanted(i) = 0.0d0
      end do
      verified = .true.
      if (m .eq. 17) then
         wanted(1) = 6.50699010512203d+01
         wanted(2) = -1.34171632270222d+02
         wanted(3) = 1.02656000000000d+05
         wanted(4) = 3.15028579322363d+02
         wanted(5) = 9.90000000000000d+01
         wanted(6) = 1.51400000000000d+04
      else if (m .eq. 12) then
         wanted(1) = -1.08866359530237d+02
         wanted(2) = 6.74735525797699d+01
         wanted(3) = 3.17800000000000d+03
         wanted(4) = 7.65895951506478d+00
         wanted(5) = 3.00000000000000d+00
         wanted(6) = 5.38000000000000d+02
      else
         verified = .false.
      end if
      call compare(6, found, wanted, 1.0d-8, verified)
      do i = 0, nq-1
         write (*, 20) i, q(i)
 20      format('  ring ', i2, f12.0)
      end do
      call print_results('rng', m, nk, np, np, gc, verified)
      if (.not. verified) stop 1
      end

c     The seed of block kk: a to the power of what went before, by
c     squaring. There is an exit in the middle.
      subroutine seed_of(number, t1)
      implicit none
      integer number, kk, ik, i
      integer*8 t1, t2, copy
      double precision t3, uniform
      external uniform
      integer*8 s, a
      parameter (s = 271828183_8, a = 1220703125_8)
      call power(a, 2048, t2)
      t1 = s
      kk = number
      do i = 1, 100
         ik = kk/2
         if (2*ik .ne. kk) t3 = uniform(t1, t2)
         if (ik .eq. 0) goto 130
         copy = t2
         t3 = uniform(t2, copy)
         kk = ik
      end do
 130  continue
      return
      end

      subroutine block(number, sx, sy)
      include 'rng.inc'
      integer number, i, l
      integer*8 t1
      double precision sx, sy, x1, x2, t, t2, t3, t4
      call seed_of(number, t1)
      call uniforms(2*nk, t1, 1220703125_8, x)
      do i = 1, nk
         x1 = 2.0d0*x(2*i-1) - 1.0d0
         x2 = 2.0d0*x(2*i) - 1.0d0
         t = x1*x1 + x2*x2
         if (t .le. 1.0d0) then
            t2 = dsqrt(-2.0d0*dlog(t)/t)
            t3 = x1*t2
            t4 = x2*t2
            l = int(dmax1(dabs(t3), dabs(t4)))
            q(l) = q(l) + 1.0d0
            sx = sx + t3
            sy = sy + t4
         end if
      end do
      return
      end

c     Draws until one is accepted: how often is a matter of chance.
      subroutine gamma_variates(n, total)
      implicit none
      integer n, i, tries
      double precision total, u1, u2, y, uniform
      external uniform
      integer*8 state, a
      logical accepted
      a = 1220703125_8
      state = 161803399_8
      total = 0.0d0
      tries = 0
      do i = 1, n
         accepted = .false.
         do while (.not. accepted)
            u1 = uniform(state, a)
            u2 = uniform(state, a)
            y = -dlog(u1)
            accepted = u2 .le. y*dexp(1.0d0 - y)
            tries = tries + 1
         end do
         total = total + y
      end do
      total = total + dble(tries)
      return
      end

c     Walks on a line until a wall is met or the steps are used up.
      subroutine walks(n, met, steps)
      implicit none
      integer n, i, j, place, limit
      parameter (limit = 200)
      double precision met, steps, uniform
      external uniform
      integer*8 state, a
      a = 1220703125_8
      state = 141421357_8
      met = 0.0d0
      steps = 0.0d0
      do i = 1, n
         place = 0
         do j = 1, limit
            if (uniform(state, a) .lt. 0.5d0) then
               place = place - 1
            else
               place = place + 1
            end if
            steps = steps + 1.0d0
            if (iabs(place) .ge. 12) then
               met = met + 1.0d0
               exit
            end if
         end do
      end do
      return
      end
