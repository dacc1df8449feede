c     fft: a heat equation in three dimensions, solved where it is
c     diagonal: transforms along each direction, in log2 n levels.

      program fft_main
      include 'fft.inc'
      integer iter, fstatus, i
      double precision found(10), wanted(10), sum
      logical verified

      niter = niter_default
      open (unit=2, file='inputfft.data', status='old', iostat=fstatus)
      if (fstatus .eq. 0) then
         write (*, *) 'reading inputfft.data'
         read (2, *) niter
         close (2)
      end if
      if (niter .lt. 1 .or. niter .gt. 32) then
         write (*, *) 'from 1 to 32 iterations'
         stop 2
      end if
      dims(1) = nx
      dims(2) = ny
      dims(3) = nz
      fftblock = fftblock_default
      fftblockpad = fftblockpad_default
      call index_map(twiddle, dims(1), dims(2), dims(3))
      call initial_conditions(u1, dims(1), dims(2), dims(3))
      call fft_init(maxdim)
      call timer_clear(1)
      call timer_start(1)
      call fft(1, u1, u0)
      do iter = 1, niter
         call evolve(u0, u1, twiddle, dims(1), dims(2), dims(3))
         call fft(-1, u1, u1)
         call checksum(sums(iter), u1, dims(1), dims(2), dims(3))
      end do
      call timer_stop(1)

      sum = 0.0d0
      do i = 1, 10
         found(i) = 0.0d0
         wanted(i) = 0.0d0
      end do
      do i = 1, min(niter, 5)
         found(2*i-1) = dble(sums(i))
         found(2*i) = dimag(sums(i))
         sum = sum + found(2*i-1) + found(2*i)
      end do
      verified = .true.
      if (niter .eq. 4) then
         wanted(1) = 5.45775777434003d+02
         wanted(2) = 5.34212720457241d+02
         wanted(3) = 5.44822142386345d+02
         wanted(4) = 5.34068640300511d+02
         wanted(5) = 5.43901470670001d+02
         wanted(6) = 5.33925936368013d+02
         wanted(7) = 5.43012583538234d+02
         wanted(8) = 5.33784545112604d+02
         wanted(9) = 0.00000000000000d+00
         wanted(10) = 0.00000000000000d+00
      else if (niter .eq. 1) then
         wanted(1) = 5.45775777434003d+02
         wanted(2) = 5.34212720457241d+02
         wanted(3) = 0.00000000000000d+00
         wanted(4) = 0.00000000000000d+00
         wanted(5) = 0.00000000000000d+00
         wanted(6) = 0.00000000000000d+00
         wanted(7) = 0.00000000000000d+00
         wanted(8) = 0.00000000000000d+00
         wanted(9) = 0.00000000000000d+00
         wanted(10) = 0.00000000000000d+00
      else
         verified = .false.
      end if
      call compare(10, found, wanted, 1.0d-8, verified)
      call print_results('fft', nx, ny, nz, niter, sum, verified)
      if (.not. verified) stop 1
      end

c     How far each wave decays in one step.
      subroutine index_map(decay, d1, d2, d3)
      implicit none
      integer d1, d2, d3, i, j, k, ii, jj, kk
      double precision decay(d1,d2,d3), ap, pi, alpha
      parameter (pi = 3.141592653589793238d0, alpha = 1.0d-6)
      ap = -4.0d0 * alpha * pi * pi
      do k = 1, d3
         kk = mod(k-1+d3/2, d3) - d3/2
         do j = 1, d2
            jj = mod(j-1+d2/2, d2) - d2/2
            do i = 1, d1
               ii = mod(i-1+d1/2, d1) - d1/2
               decay(i,j,k) = dexp(ap*dble(ii*ii + jj*jj + kk*kk))
            end do
         end do
      end do
      return
      end

c     Random numbers, plane by plane, each plane from a seed of its own.
      subroutine initial_conditions(w, d1, d2, d3)
      implicit none
      integer d1, d2, d3, j, k
      double complex w(d1,d2,d3)
      double precision junk, uniform
      external uniform
      integer*8 start, x0, a, an
      a = 1220703125_8
      start = 314159265_8
      call power(a, 2*d1*d2, an)
      do k = 1, d3
         x0 = start
         do j = 1, d2
            call uniforms(2*d1, x0, a, w(1,j,k))
         end do
         junk = uniform(start, an)
      end do
      return
      end

      subroutine evolve(w0, w1, decay, d1, d2, d3)
      implicit none
      integer d1, d2, d3, i, j, k
      double complex w0(d1,d2,d3), w1(d1,d2,d3)
      double precision decay(d1,d2,d3)
      do k = 1, d3
         do j = 1, d2
            do i = 1, d1
               w0(i,j,k) = w0(i,j,k) * decay(i,j,k)
               w1(i,j,k) = w0(i,j,k)
            end do
         end do
      end do
      return
      end

c     ------------------------------------------------------------------
c     The smallest exponent of two that reaches n.
      integer function ilog2(n)
      implicit none
      integer n, nn, lg
      if (n .eq. 1) then
         ilog2 = 0
         return
      end if
      lg = 1
      nn = 2
      do while (nn .lt. n)
         nn = nn*2
         lg = lg + 1
      end do
      ilog2 = lg
      return
      end

c     Roots of unity, a run of 1, 2, 4, ... of them for each level.
      subroutine fft_init(n)
      include 'fft.inc'
      integer n, m, nu, ku, i, j, ln, ilog2
      double precision t, ti
      external ilog2
      nu = n
      m = ilog2(n)
      u(1) = dcmplx(dble(m), 0.0d0)
      ku = 2
      ln = 1
      do j = 1, m
         t = pi / ln
         do i = 0, ln-1
            ti = i*t
            u(i+ku) = dcmplx(dcos(ti), dsin(ti))
         end do
         ku = ku + ln
         ln = 2*ln
      end do
      return
      end

      subroutine fft(dir, x1, x2)
      include 'fft.inc'
      integer dir, i, j, k
      double complex x1(nx,ny,nz), x2(nx,ny,nz)
      double complex scratch(fftblockpad_default*maxdim*2)
      if (dir .eq. 1) then
         call cffts1(1, dims(1), dims(2), dims(3), x1, scratch)
         call cffts2(1, dims(1), dims(2), dims(3), x1, scratch)
         call cffts3(1, dims(1), dims(2), dims(3), x1, scratch)
      else
         call cffts3(-1, dims(1), dims(2), dims(3), x1, scratch)
         call cffts2(-1, dims(1), dims(2), dims(3), x1, scratch)
         call cffts1(-1, dims(1), dims(2), dims(3), x1, scratch)
      end if
      if (dir .eq. 1) then
         do k = 1, dims(3)
            do j = 1, dims(2)
               do i = 1, dims(1)
                  x2(i,j,k) = x1(i,j,k)
               end do
            end do
         end do
      end if
      return
      end

      subroutine cffts1(is, d1, d2, d3, x, y)
      include 'fft.inc'
      integer is, d1, d2, d3, logd1, i, j, k, jj, ilog2
      double complex x(d1,d2,d3), y(fftblockpad, d1, 2)
      external ilog2
      logd1 = ilog2(d1)
      do k = 1, d3
         do jj = 0, d2-fftblock, fftblock
            do j = 1, fftblock
               do i = 1, d1
                  y(j,i,1) = x(i,j+jj,k)
               end do
            end do
            call cfftz(is, logd1, d1, y, y(1,1,2))
            do j = 1, fftblock
               do i = 1, d1
                  x(i,j+jj,k) = y(j,i,1)
               end do
            end do
         end do
      end do
      return
      end

      subroutine cffts2(is, d1, d2, d3, x, y)
      include 'fft.inc'
      integer is, d1, d2, d3, logd2, i, j, k, ii, ilog2
      double complex x(d1,d2,d3), y(fftblockpad, d2, 2)
      external ilog2
      logd2 = ilog2(d2)
      do k = 1, d3
         do ii = 0, d1-fftblock, fftblock
            do j = 1, d2
               do i = 1, fftblock
                  y(i,j,1) = x(i+ii,j,k)
               end do
            end do
            call cfftz(is, logd2, d2, y, y(1,1,2))
            do j = 1, d2
               do i = 1, fftblock
                  x(i+ii,j,k) = y(i,j,1)
               end do
            end do
         end do
      end do
      return
      end

      subroutine cffts3(is, d1, d2, d3, x, y)
      include 'fft.inc'
      integer is, d1, d2, d3, logd3, i, j, k, ii, ilog2
      double complex x(d1,d2,d3), y(fftblockpad, d3, 2)
      external ilog2
      logd3 = ilog2(d3)
      do j = 1, d2
         do ii = 0, d1-fftblock, fftblock
            do k = 1, d3
               do i = 1, fftblock
                  y(i,k,1) = x(i+ii,j,k)
               end do
            end do
            call cfftz(is, logd3, d3, y, y(1,1,2))
            do k = 1, d3
               do i = 1, fftblock
                  x(i+ii,j,k) = y(i,k,1)
               end do
            end do
         end do
      end do
      return
      end

c     A block of transforms of length n = 2**m, forth and back between x
c     and y.
      subroutine cfftz(is, m, n, x, y)
      include 'fft.inc'
      integer is, m, n, i, j, l, mx
      double complex x(fftblockpad,n), y(fftblockpad,n)
      mx = int(dble(u(1)))
      if ((is .ne. 1 .and. is .ne. -1) .or. m .lt. 1 .or. m .gt. mx)
     >     then
         write (*, *) 'cfftz: wrong arguments', is, m, mx
         stop 2
      end if
      do l = 1, m, 2
         call fftz2(is, l, m, n, fftblock, fftblockpad, u, x, y)
         if (l .eq. m) goto 160
         call fftz2(is, l+1, m, n, fftblock, fftblockpad, u, y, x)
      end do
      goto 180
 160  continue
      do j = 1, n
         do i = 1, fftblock
            x(i,j) = y(i,j)
         end do
      end do
 180  continue
      return
      end

c     Level l: lk and li are powers of two that go against each other.
      subroutine fftz2(is, l, m, n, nb, nb1, roots, x, y)
      implicit none
      integer is, l, m, n, nb, nb1, n1, li, lj, lk, ku, i, j, k
      integer i11, i12, i21, i22
      double complex roots(n), x(nb1,n), y(nb1,n), r, x11, x21
      n1 = n/2
      lk = 2**(l-1)
      li = 2**(m-l)
      lj = 2*lk
      ku = li + 1
      do i = 0, li-1
         i11 = i*lk + 1
         i12 = i11 + n1
         i21 = i*lj + 1
         i22 = i21 + lk
         if (is .ge. 1) then
            r = roots(ku+i)
         else
            r = dconjg(roots(ku+i))
         end if
         do k = 0, lk-1
            do j = 1, nb
               x11 = x(j,i11+k)
               x21 = x(j,i12+k)
               y(j,i21+k) = x11 + x21
               y(j,i22+k) = r * (x11 - x21)
            end do
         end do
      end do
      return
      end

c     A thousand elements, here and there.
      subroutine checksum(chk, w, d1, d2, d3)
      implicit none
      integer d1, d2, d3, j, q, r, s
      double complex w(d1,d2,d3), chk
      chk = (0.0d0, 0.0d0)
      do j = 1, 1024
         q = mod(j, d1) + 1
         r = mod(3*j, d2) + 1
         s = mod(5*j, d3) + 1
         chk = chk + w(q,r,s)
      end do
      chk = chk / dble(d1*d2*d3)
      write (*, 30) chk
 30   format(' checksum of this step ', 2es22.12)
      return
      end
