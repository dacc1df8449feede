c     ssor: the same kind of flow, relaxed by symmetric successive
c     over-relaxation: a sweep down the planes, a sweep up, until the
c     residual is small or itmax is reached.
c
c     Loops run from ist to iend, which are worked out from what
c     inputssor.data says, if it is there.

      program ssor_main
      include 'ssor.inc'
      double precision sum
      logical verified
      integer steps

      call read_input
      call domain
      call setiv
      call erhs
      call ssor(itmax, steps)
      call pintgr
      call verify(steps, sum, verified)
      call print_results('ssor', nx0, ny0, nz0, steps, sum, verified)
      if (.not. verified) stop 1
      end

      subroutine read_input
      include 'ssor.inc'
      integer fstatus, m
      open (unit=3, file='inputssor.data', status='old',
     >     access='sequential', form='formatted', iostat=fstatus)
      if (fstatus .eq. 0) then
         write (*, *) 'reading inputssor.data'
         read (3, *)
         read (3, *) ipr, inorm
         read (3, *)
         read (3, *) itmax
         read (3, *)
         read (3, *) dt
         read (3, *)
         read (3, *) omega
         read (3, *)
         read (3, *) tolrsd(1), tolrsd(2), tolrsd(3), tolrsd(4),
     >        tolrsd(5)
         read (3, *)
         read (3, *) nx0, ny0, nz0
         close (3)
      else
         ipr = 1
         inorm = inorm_default
         itmax = itmax_default
         dt = dt_default
         omega = omega_default
         do m = 1, 5
            tolrsd(m) = 1.0d-8
         end do
         nx0 = isiz1
         ny0 = isiz2
         nz0 = isiz3
      end if
      if (nx0 .lt. 4 .or. ny0 .lt. 4 .or. nz0 .lt. 4) then
         write (*, *) 'the grid is too small'
         stop 2
      end if
      if (nx0 .gt. isiz1 .or. ny0 .gt. isiz2 .or. nz0 .gt. isiz3) then
         write (*, *) 'the grid is larger than the arrays'
         stop 2
      end if
      return
      end

      subroutine domain
      include 'ssor.inc'
      nx = nx0
      ny = ny0
      nz = nz0
      ist = 2
      iend = nx - 1
      jst = 2
      jend = ny - 1
      ii1 = 2
      ii2 = nx0 - 1
      ji1 = 2
      ji2 = ny0 - 2
      ki1 = 3
      ki2 = nz0 - 1
      dxi = 1.0d0 / dble(nx0 - 1)
      deta = 1.0d0 / dble(ny0 - 1)
      dzeta = 1.0d0 / dble(nz0 - 1)
      tx1 = 0.5d0 / (dxi*dxi)
      ty1 = 0.5d0 / (deta*deta)
      tz1 = 0.5d0 / (dzeta*dzeta)
      return
      end

      subroutine setiv
      include 'ssor.inc'
      integer i, j, k, m
      double precision xi, eta, zeta
      do k = 1, nz
         zeta = dble(k-1) * dzeta
         do j = 1, ny
            eta = dble(j-1) * deta
            do i = 1, nx
               xi = dble(i-1) * dxi
               do m = 1, 5
                  u(m,i,j,k) = 1.0d0 + 0.1d0*dble(m)*xi*(1.0d0-eta)
     >                 + 0.2d0*zeta
               end do
            end do
         end do
      end do
      return
      end

      subroutine erhs
      include 'ssor.inc'
      integer i, j, k, m
      double precision xi, eta, zeta
      do k = 1, nz
         do j = 1, ny
            do i = 1, nx
               do m = 1, 5
                  frct(m,i,j,k) = 0.0d0
               end do
            end do
         end do
      end do
      do k = 2, nz-1
         zeta = dble(k-1) * dzeta
         do j = jst, jend
            eta = dble(j-1) * deta
            do i = ist, iend
               xi = dble(i-1) * dxi
               do m = 1, 5
                  frct(m,i,j,k) = 0.3d0*dble(6-m)*xi*eta*zeta
               end do
            end do
         end do
      end do
      return
      end

      subroutine rhs
      include 'ssor.inc'
      integer i, j, k, m
      do k = 1, nz
         do j = 1, ny
            do i = 1, nx
               do m = 1, 5
                  rsd(m,i,j,k) = -frct(m,i,j,k)
               end do
            end do
         end do
      end do
      do k = 2, nz-1
         do j = jst, jend
            do i = ist, iend
               do m = 1, 5
                  rsd(m,i,j,k) = rsd(m,i,j,k)
     >               - tx1*(u(m,i+1,j,k)-2.0d0*u(m,i,j,k)+u(m,i-1,j,k))
     >               - ty1*(u(m,i,j+1,k)-2.0d0*u(m,i,j,k)+u(m,i,j-1,k))
     >               - tz1*(u(m,i,j,k+1)-2.0d0*u(m,i,j,k)+u(m,i,j,k-1))
     >               + 0.1d0*u(m,i,j,k)*u(1,i,j,k)
               end do
            end do
         end do
      end do
      return
      end

c     ------------------------------------------------------------------
c     The lower blocks of plane k.
      subroutine jacld(k)
      include 'ssor.inc'
      integer k, i, j, m, n
      double precision q
      do j = jst, jend
         do i = ist, iend
            q = 0.1d0 / u(1,i,j,k)
            do n = 1, 5
               do m = 1, 5
                  d(m,n,i,j) = 0.05d0*q*u(m,i,j,k)
                  a(m,n,i,j) = 0.0d0
                  b(m,n,i,j) = 0.0d0
                  c(m,n,i,j) = 0.0d0
               end do
               d(n,n,i,j) = 1.0d0/dt + 2.0d0*(tx1 + ty1 + tz1) + q
               a(n,n,i,j) = -tz1
               b(n,n,i,j) = -ty1
               c(n,n,i,j) = -tx1
            end do
         end do
      end do
      return
      end

c     The upper blocks of plane k, from the far corner.
      subroutine jacu(k)
      include 'ssor.inc'
      integer k, i, j, m, n
      double precision q
      do j = jend, jst, -1
         do i = iend, ist, -1
            q = 0.1d0 / u(1,i,j,k)
            do n = 1, 5
               do m = 1, 5
                  d(m,n,i,j) = 0.05d0*q*u(m,i,j,k)
                  a(m,n,i,j) = 0.0d0
                  b(m,n,i,j) = 0.0d0
                  c(m,n,i,j) = 0.0d0
               end do
               d(n,n,i,j) = 1.0d0/dt + 2.0d0*(tx1 + ty1 + tz1) + q
               a(n,n,i,j) = -tx1
               b(n,n,i,j) = -ty1
               c(n,n,i,j) = -tz1
            end do
         end do
      end do
      return
      end

c     Forward substitution through plane k. The arrays' extents are
c     arguments.
      subroutine blts(ldmx, ldmy, ldmz, k, v)
      include 'ssor.inc'
      integer ldmx, ldmy, ldmz, k, i, j, m, n
      double precision v(5, ldmx/2*2+1, ldmy/2*2+1, ldmz)
      double precision tv(5), tmat(5,5)
      do j = jst, jend
         do i = ist, iend
            do m = 1, 5
               do n = 1, 5
                  v(m,i,j,k) = v(m,i,j,k)
     >                 - omega*a(m,n,i,j)*v(n,i,j,k-1)
               end do
            end do
         end do
      end do
      do j = jst, jend
         do i = ist, iend
            do m = 1, 5
               tv(m) = v(m,i,j,k)
               do n = 1, 5
                  tv(m) = tv(m) - omega*(b(m,n,i,j)*v(n,i,j-1,k)
     >                 + c(m,n,i,j)*v(n,i-1,j,k))
                  tmat(m,n) = d(m,n,i,j)
               end do
            end do
            call solve_block(tmat, tv)
            do m = 1, 5
               v(m,i,j,k) = tv(m)
            end do
         end do
      end do
      return
      end

      subroutine buts(ldmx, ldmy, ldmz, k, v)
      include 'ssor.inc'
      integer ldmx, ldmy, ldmz, k, i, j, m, n
      double precision v(5, ldmx/2*2+1, ldmy/2*2+1, ldmz)
      double precision tv(5), tmat(5,5)
      do j = jend, jst, -1
         do i = iend, ist, -1
            do m = 1, 5
               tv(m) = 0.0d0
               do n = 1, 5
                  tv(m) = tv(m) + omega*(c(m,n,i,j)*v(n,i,j,k+1)
     >                 + b(m,n,i,j)*v(n,i,j+1,k)
     >                 + a(m,n,i,j)*v(n,i+1,j,k))
                  tmat(m,n) = d(m,n,i,j)
               end do
            end do
            call solve_block(tmat, tv)
            do m = 1, 5
               v(m,i,j,k) = v(m,i,j,k) - tv(m)
            end do
         end do
      end do
      return
      end

c     Gauss without pivots, in place: triangular loops to 5.
      subroutine solve_block(t, v)
      implicit none
      double precision t(5,5), v(5), f
      integer p, m, n
      do p = 1, 4
         do m = p+1, 5
            f = t(m,p) / t(p,p)
            do n = p+1, 5
               t(m,n) = t(m,n) - f*t(p,n)
            end do
            v(m) = v(m) - f*v(p)
         end do
      end do
      do p = 5, 1, -1
         do n = p+1, 5
            v(p) = v(p) - t(p,n)*v(n)
         end do
         v(p) = v(p) / t(p,p)
      end do
      return
      end

      subroutine l2norm(ldx, ldy, ldz, nx0, ny0, nz0, ist, iend, jst,
     >     jend, v, sum)
      implicit none
      integer ldx, ldy, ldz, nx0, ny0, nz0, ist, iend, jst, jend
      double precision v(5, ldx/2*2+1, ldy/2*2+1, *), sum(5)
      integer i, j, k, m
      do m = 1, 5
         sum(m) = 0.0d0
      end do
      do k = 2, nz0-1
         do j = jst, jend
            do i = ist, iend
               do m = 1, 5
                  sum(m) = sum(m) + v(m,i,j,k)*v(m,i,j,k)
               end do
            end do
         end do
      end do
      do m = 1, 5
         sum(m) = dsqrt(sum(m) / (dble(nx0-2)*dble(ny0-2)*dble(nz0-2)))
      end do
      return
      end

      subroutine ssor(niter, steps)
      include 'ssor.inc'
      integer niter, steps, i, j, k, m, istep
      double precision tmp
      tmp = 1.0d0 / (omega * (2.0d0 - omega))
      call rhs
      call l2norm(isiz1, isiz2, isiz3, nx0, ny0, nz0, ist, iend, jst,
     >     jend, rsd, rsdnm)
      call timer_clear(1)
      call timer_start(1)
      steps = niter
      do istep = 1, niter
         do k = 2, nz-1
            do j = jst, jend
               do i = ist, iend
                  do m = 1, 5
                     rsd(m,i,j,k) = rsd(m,i,j,k) / dt
                  end do
               end do
            end do
         end do
         do k = 2, nz-1
            call jacld(k)
            call blts(isiz1, isiz2, isiz3, k, rsd)
         end do
         do k = nz-1, 2, -1
            call jacu(k)
            call buts(isiz1, isiz2, isiz3, k, rsd)
         end do
         do k = 2, nz-1
            do j = jst, jend
               do i = ist, iend
                  do m = 1, 5
                     u(m,i,j,k) = u(m,i,j,k) - tmp*rsd(m,i,j,k)*dt
                  end do
               end do
            end do
         end do
         call rhs
         if (mod(istep, inorm) .eq. 0 .or. istep .eq. niter) then
            call l2norm(isiz1, isiz2, isiz3, nx0, ny0, nz0, ist, iend,
     >           jst, jend, rsd, rsdnm)
         end if
         if (rsdnm(1) .lt. tolrsd(1) .and. rsdnm(2) .lt. tolrsd(2)
     >        .and. rsdnm(3) .lt. tolrsd(3) .and. rsdnm(4) .lt.
     >        tolrsd(4) .and. rsdnm(5) .lt. tolrsd(5)) then
            write (*, 10) istep
 10         format(' converged after ', i4, ' steps')
            steps = istep
            goto 900
         end if
      end do
 900  continue
      call timer_stop(1)
      return
      end

c     A surface integral over two faces.
      subroutine pintgr
      include 'ssor.inc'
      integer i, j, k
      double precision phi1(0:isiz2+1, 0:isiz3+1),
     >     phi2(0:isiz2+1, 0:isiz3+1)
      do i = 0, isiz2+1
         do k = 0, isiz3+1
            phi1(i,k) = 0.0d0
            phi2(i,k) = 0.0d0
         end do
      end do
      do j = ji1, ji2
         do i = ii1, ii2
            phi1(i,j) = 0.4d0*u(5,i,j,ki1)
            phi2(i,j) = 0.4d0*u(5,i,j,ki2)
         end do
      end do
      frc = 0.0d0
      do j = ji1, ji2-1
         do i = ii1, ii2-1
            frc = frc + (phi1(i,j) + phi1(i+1,j) + phi1(i,j+1)
     >           + phi1(i+1,j+1) + phi2(i,j) + phi2(i+1,j)
     >           + phi2(i,j+1) + phi2(i+1,j+1))
         end do
      end do
      frc = 0.25d0 * frc * dxi * deta
      return
      end

      subroutine verify(steps, sum, verified)
      include 'ssor.inc'
      integer steps, m
      double precision sum, found(6), wanted(6)
      logical verified
      sum = 0.0d0
      do m = 1, 5
         found(m) = rsdnm(m)
         wanted(m) = 0.0d0
         sum = sum + found(m)
      end do
      found(6) = frc
      wanted(6) = 0.0d0
      sum = sum + frc
      verified = .true.
      if (nx0 .eq. 64 .and. steps .eq. 3) then
         wanted(1) = 1.75505137812125d-01
         wanted(2) = 1.34229052756289d-01
         wanted(3) = 1.00712940013276d-01
         wanted(4) = 8.47291352789945d-02
         wanted(5) = 9.55260632536895d-02
         wanted(6) = 9.06262920297912d-01
      else if (nx0 .eq. 12 .and. itmax .eq. 60) then
         wanted(1) = 2.03851681264165d-06
         wanted(2) = 5.53575063566742d-07
         wanted(3) = 9.31339457589262d-07
         wanted(4) = 2.41621956565727d-06
         wanted(5) = 3.90106901596794d-06
         wanted(6) = 5.90839581918782d-01
      else
         verified = .false.
      end if
      call compare(6, found, wanted, 1.0d-6, verified)
      return
      end
