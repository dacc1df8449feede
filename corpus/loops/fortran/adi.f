c     adi: five coupled equations on a structured grid, stepped
c     implicitly, one direction after another, with 5 x 5 blocks.
c
c     Sizes come from inputadi.data if it is there, else from
c     adi_params.inc, and reach every loop through COMMON.

      program adi
      include 'adi.inc'
      integer i, niter, step, fstatus
      double precision sum, timer_read
      external timer_read
      logical verified

      do i = 1, t_last
         call timer_clear(i)
      end do
      open (unit=2, file='timer.flag', status='old', iostat=fstatus)
      timeron = .false.
      if (fstatus .eq. 0) then
         timeron = .true.
         close (2)
      end if

      open (unit=2, file='inputadi.data', status='old', iostat=fstatus)
      if (fstatus .eq. 0) then
         write (*, *) 'reading inputadi.data'
         read (2, *) niter
         read (2, *) dt
         read (2, *) grid_points(1), grid_points(2), grid_points(3)
         close (2)
      else
         niter = niter_default
         dt = dt_default
         grid_points(1) = problem_size
         grid_points(2) = problem_size
         grid_points(3) = problem_size
      end if
      if (grid_points(1) .gt. imax .or. grid_points(2) .gt. jmax .or.
     >    grid_points(3) .gt. kmax) then
         write (*, *) 'the grid is larger than the arrays'
         stop 2
      end if

      call set_constants
      call initialize
      call exact_rhs
      call timer_start(t_total)
      do step = 1, niter
         if (mod(step, 20) .eq. 0 .or. step .eq. 1) then
            write (*, 200) step
 200        format(' time step ', i4)
         end if
         call advance
      end do
      call timer_stop(t_total)
      call verify(niter, sum, verified)
      call print_results('adi', grid_points(1), grid_points(2),
     >     grid_points(3), niter, sum, verified)
      if (timeron) then
         do i = 1, t_last
            write (*, 210) i, timer_read(i)
 210        format(' timer ', i2, f9.3)
         end do
      end if
      if (.not. verified) stop 1
      end

c     ------------------------------------------------------------------
      subroutine set_constants
      include 'adi.inc'
      integer m, k
      do k = 1, 7
         do m = 1, 5
            ce(m,k) = 0.4d0 / dble(m + k)
         end do
      end do
      ce(1,1) = 2.0d0
      ce(5,1) = 3.0d0
      nu = 0.1d0
      dssp = 0.02d0
      dnxm1 = 1.0d0 / dble(grid_points(1) - 1)
      dnym1 = 1.0d0 / dble(grid_points(2) - 1)
      dnzm1 = 1.0d0 / dble(grid_points(3) - 1)
      tx1 = 1.0d0 / (dnxm1 * dnxm1)
      tx2 = 1.0d0 / (2.0d0 * dnxm1)
      ty1 = 1.0d0 / (dnym1 * dnym1)
      ty2 = 1.0d0 / (2.0d0 * dnym1)
      tz1 = 1.0d0 / (dnzm1 * dnzm1)
      tz2 = 1.0d0 / (2.0d0 * dnzm1)
      return
      end

      subroutine exact_solution(xi, eta, zeta, dtemp)
      include 'adi.inc'
      double precision xi, eta, zeta, dtemp(5)
      integer m
      do m = 1, 5
         dtemp(m) = ce(m,1) + xi*(ce(m,2) + xi*ce(m,5)) +
     >        eta*(ce(m,3) + eta*ce(m,6)) +
     >        zeta*(ce(m,4) + zeta*ce(m,7))
      end do
      return
      end

c     The faces are exact, the inside is blended from opposite faces.
      subroutine initialize
      include 'adi.inc'
      integer i, j, k, m, ix, iy, iz
      double precision xi, eta, zeta, pface(5,3,2), px, py, pz, temp(5)

      do k = 0, grid_points(3)-1
         do j = 0, grid_points(2)-1
            do i = 0, grid_points(1)-1
               do m = 1, 5
                  u(m,i,j,k) = 1.0d0
               end do
            end do
         end do
      end do
      do k = 0, grid_points(3)-1
         zeta = dble(k) * dnzm1
         do j = 0, grid_points(2)-1
            eta = dble(j) * dnym1
            do i = 0, grid_points(1)-1
               xi = dble(i) * dnxm1
               do ix = 1, 2
                  call exact_solution(dble(ix-1), eta, zeta,
     >                 pface(1,1,ix))
               end do
               do iy = 1, 2
                  call exact_solution(xi, dble(iy-1), zeta,
     >                 pface(1,2,iy))
               end do
               do iz = 1, 2
                  call exact_solution(xi, eta, dble(iz-1),
     >                 pface(1,3,iz))
               end do
               do m = 1, 5
                  px = xi*pface(m,1,2) + (1.0d0-xi)*pface(m,1,1)
                  py = eta*pface(m,2,2) + (1.0d0-eta)*pface(m,2,1)
                  pz = zeta*pface(m,3,2) + (1.0d0-zeta)*pface(m,3,1)
                  u(m,i,j,k) = px + py + pz - px*py - px*pz - py*pz +
     >                 px*py*pz
               end do
            end do
         end do
      end do

      do k = 0, grid_points(3)-1, grid_points(3)-1
         zeta = dble(k) * dnzm1
         do j = 0, grid_points(2)-1
            eta = dble(j) * dnym1
            do i = 0, grid_points(1)-1
               xi = dble(i) * dnxm1
               call exact_solution(xi, eta, zeta, temp)
               do m = 1, 5
                  u(m,i,j,k) = temp(m)
               end do
            end do
         end do
      end do
      return
      end

c     What the differences of the exact solution leave over.
      subroutine exact_rhs
      include 'adi.inc'
      integer i, j, k, m
      double precision xi, eta, zeta, dtemp(5)

      do k = 0, grid_points(3)-1
         do j = 0, grid_points(2)-1
            do i = 0, grid_points(1)-1
               do m = 1, 5
                  forcing(m,i,j,k) = 0.0d0
               end do
            end do
         end do
      end do
      do k = 1, grid_points(3)-2
         zeta = dble(k) * dnzm1
         do j = 1, grid_points(2)-2
            eta = dble(j) * dnym1
            do i = 0, grid_points(1)-1
               xi = dble(i) * dnxm1
               call exact_solution(xi, eta, zeta, dtemp)
               do m = 1, 5
                  ue(i,m) = dtemp(m)
                  buf(i,m) = dtemp(m) / dtemp(1)
               end do
            end do
            do i = 1, grid_points(1)-2
               do m = 1, 5
                  forcing(m,i,j,k) = forcing(m,i,j,k) +
     >                 tx2*buf(i,2)*(ue(i+1,m)-ue(i-1,m)) -
     >                 nu*tx1*(ue(i+1,m)-2.0d0*ue(i,m)+ue(i-1,m))
               end do
            end do
c           Fourth-order dissipation: two points at each end differ.
            do m = 1, 5
               i = 1
               forcing(m,i,j,k) = forcing(m,i,j,k) - dssp *
     >              (5.0d0*ue(i,m) - 4.0d0*ue(i+1,m) + ue(i+2,m))
               i = 2
               forcing(m,i,j,k) = forcing(m,i,j,k) - dssp *
     >              (-4.0d0*ue(i-1,m) + 6.0d0*ue(i,m) -
     >              4.0d0*ue(i+1,m) + ue(i+2,m))
            end do
            do i = 3, grid_points(1)-4
               do m = 1, 5
                  forcing(m,i,j,k) = forcing(m,i,j,k) - dssp *
     >                 (ue(i-2,m) - 4.0d0*ue(i-1,m) + 6.0d0*ue(i,m)
     >                 - 4.0d0*ue(i+1,m) + ue(i+2,m))
               end do
            end do
            do m = 1, 5
               i = grid_points(1)-3
               forcing(m,i,j,k) = forcing(m,i,j,k) - dssp *
     >              (ue(i-2,m) - 4.0d0*ue(i-1,m) + 6.0d0*ue(i,m) -
     >              4.0d0*ue(i+1,m))
               i = grid_points(1)-2
               forcing(m,i,j,k) = forcing(m,i,j,k) - dssp *
     >              (ue(i-2,m) - 4.0d0*ue(i-1,m) + 5.0d0*ue(i,m))
            end do
         end do
      end do
      return
      end

c     ------------------------------------------------------------------
      subroutine advance
      include 'adi.inc'
      call compute_rhs
      call x_solve
      call y_solve
      call z_solve
      call add
      return
      end

      subroutine add
      include 'adi.inc'
      integer i, j, k, m
      do k = 1, grid_points(3)-2
         do j = 1, grid_points(2)-2
            do i = 1, grid_points(1)-2
               do m = 1, 5
                  u(m,i,j,k) = u(m,i,j,k) + rhs(m,i,j,k)
               end do
            end do
         end do
      end do
      return
      end

      subroutine compute_rhs
      include 'adi.inc'
      integer i, j, k, m
      double precision vx, vy, vz, rho

      if (timeron) call timer_start(t_rhs)
      do k = 0, grid_points(3)-1
         do j = 0, grid_points(2)-1
            do i = 0, grid_points(1)-1
               do m = 1, 5
                  rhs(m,i,j,k) = forcing(m,i,j,k)
               end do
            end do
         end do
      end do
      do k = 1, grid_points(3)-2
         do j = 1, grid_points(2)-2
            do i = 1, grid_points(1)-2
               rho = 1.0d0 / u(1,i,j,k)
               vx = u(2,i,j,k) * rho
               vy = u(3,i,j,k) * rho
               vz = u(4,i,j,k) * rho
               do m = 1, 5
                  rhs(m,i,j,k) = rhs(m,i,j,k)
     >                 - tx2*vx*(u(m,i+1,j,k) - u(m,i-1,j,k))
     >                 - ty2*vy*(u(m,i,j+1,k) - u(m,i,j-1,k))
     >                 - tz2*vz*(u(m,i,j,k+1) - u(m,i,j,k-1))
     >                 + nu*tx1*(u(m,i+1,j,k) - 2.0d0*u(m,i,j,k) +
     >                           u(m,i-1,j,k))
     >                 + nu*ty1*(u(m,i,j+1,k) - 2.0d0*u(m,i,j,k) +
     >                           u(m,i,j-1,k))
     >                 + nu*tz1*(u(m,i,j,k+1) - 2.0d0*u(m,i,j,k) +
     >                           u(m,i,j,k-1))
               end do
            end do
         end do
      end do
c     Dissipation along j, away from the faces.
      do k = 1, grid_points(3)-2
         do j = 3, grid_points(2)-4
            do i = 1, grid_points(1)-2
               do m = 1, 5
                  rhs(m,i,j,k) = rhs(m,i,j,k) - dssp *
     >                 (u(m,i,j-2,k) - 4.0d0*u(m,i,j-1,k) +
     >                 6.0d0*u(m,i,j,k) - 4.0d0*u(m,i,j+1,k) +
     >                 u(m,i,j+2,k))
               end do
            end do
         end do
      end do
      do k = 1, grid_points(3)-2
         do j = 1, grid_points(2)-2
            do i = 1, grid_points(1)-2
               do m = 1, 5
                  rhs(m,i,j,k) = rhs(m,i,j,k) * dt
               end do
            end do
         end do
      end do
      if (timeron) call timer_stop(t_rhs)
      return
      end

c     ------------------------------------------------------------------
c     The blocks of one point: convection by velocity v, and diffusion.
      subroutine jacobians(p, v, f, g)
      include 'adi.inc'
      double precision p(5), v, f(5,5), g(5,5), rho
      integer m, n
      rho = 1.0d0 / p(1)
      do n = 1, 5
         do m = 1, 5
            f(m,n) = 0.01d0 * p(m) * rho / dble(m + n)
            g(m,n) = 0.0d0
         end do
      end do
      do m = 1, 5
         f(m,m) = f(m,m) + v * rho
         g(m,m) = nu * (1.0d0 + 0.05d0 * p(m) * rho)
      end do
      return
      end

c     Rows of the block tridiagonal system along one line of n+1 points.
      subroutine lhs_line(n, t1, t2)
      include 'adi.inc'
      integer n, i, l, m
      double precision t1, t2, tmp1, tmp2
      call lhsinit(n)
      do i = 1, n-1
         tmp1 = dt * t1
         tmp2 = dt * t2
         do l = 1, 5
            do m = 1, 5
               lhs(m,l,aa,i) = -tmp2*fjac(m,l,i-1) - tmp1*njac(m,l,i-1)
               lhs(m,l,bb,i) = tmp1*2.0d0*njac(m,l,i)
               lhs(m,l,cc,i) = tmp2*fjac(m,l,i+1) - tmp1*njac(m,l,i+1)
            end do
            lhs(l,l,bb,i) = lhs(l,l,bb,i) + 1.0d0
         end do
      end do
      return
      end

c     The ends of a line are fixed.
      subroutine lhsinit(n)
      include 'adi.inc'
      integer i, m, l, n
      do i = 0, n, n
         do l = 1, 5
            do m = 1, 5
               lhs(m,l,1,i) = 0.0d0
               lhs(m,l,2,i) = 0.0d0
               lhs(m,l,3,i) = 0.0d0
            end do
            lhs(l,l,2,i) = 1.0d0
         end do
      end do
      return
      end

      subroutine x_solve
      include 'adi.inc'
      integer i, j, k, m, n, isize
      if (timeron) call timer_start(t_xsolve)
      isize = grid_points(1)-1
      do k = 1, grid_points(3)-2
         do j = 1, grid_points(2)-2
            do i = 0, isize
               call jacobians(u(1,i,j,k), u(2,i,j,k), fjac(1,1,i),
     >              njac(1,1,i))
            end do
            call lhs_line(isize, tx1, tx2)
            call binvcrhs(lhs(1,1,bb,0), lhs(1,1,cc,0), rhs(1,0,j,k))
            do i = 1, isize-1
               call matvec_sub(lhs(1,1,aa,i), rhs(1,i-1,j,k),
     >              rhs(1,i,j,k))
               call matmul_sub(lhs(1,1,aa,i), lhs(1,1,cc,i-1),
     >              lhs(1,1,bb,i))
               call binvcrhs(lhs(1,1,bb,i), lhs(1,1,cc,i),
     >              rhs(1,i,j,k))
            end do
            call matvec_sub(lhs(1,1,aa,isize), rhs(1,isize-1,j,k),
     >           rhs(1,isize,j,k))
            do i = isize-1, 0, -1
               do m = 1, 5
                  do n = 1, 5
                     rhs(m,i,j,k) = rhs(m,i,j,k) -
     >                    lhs(m,n,cc,i) * rhs(n,i+1,j,k)
                  end do
               end do
            end do
         end do
      end do
      if (timeron) call timer_stop(t_xsolve)
      return
      end

      subroutine y_solve
      include 'adi.inc'
      integer i, j, k, m, n, jsize
      if (timeron) call timer_start(t_ysolve)
      jsize = grid_points(2)-1
      do k = 1, grid_points(3)-2
         do i = 1, grid_points(1)-2
            do j = 0, jsize
               call jacobians(u(1,i,j,k), u(3,i,j,k), fjac(1,1,j),
     >              njac(1,1,j))
            end do
            call lhs_line(jsize, ty1, ty2)
            call binvcrhs(lhs(1,1,bb,0), lhs(1,1,cc,0), rhs(1,i,0,k))
            do j = 1, jsize-1
               call matvec_sub(lhs(1,1,aa,j), rhs(1,i,j-1,k),
     >              rhs(1,i,j,k))
               call matmul_sub(lhs(1,1,aa,j), lhs(1,1,cc,j-1),
     >              lhs(1,1,bb,j))
               call binvcrhs(lhs(1,1,bb,j), lhs(1,1,cc,j),
     >              rhs(1,i,j,k))
            end do
            call matvec_sub(lhs(1,1,aa,jsize), rhs(1,i,jsize-1,k),
     >           rhs(1,i,jsize,k))
            do j = jsize-1, 0, -1
               do m = 1, 5
                  do n = 1, 5
                     rhs(m,i,j,k) = rhs(m,i,j,k) -
     >                    lhs(m,n,cc,j) * rhs(n,i,j+1,k)
                  end do
               end do
            end do
         end do
      end do
      if (timeron) call timer_stop(t_ysolve)
      return
      end

      subroutine z_solve
      include 'adi.inc'
      integer i, j, k, m, n, ksize
      if (timeron) call timer_start(t_zsolve)
      ksize = grid_points(3)-1
      do j = 1, grid_points(2)-2
         do i = 1, grid_points(1)-2
            do k = 0, ksize
               call jacobians(u(1,i,j,k), u(4,i,j,k), fjac(1,1,k),
     >              njac(1,1,k))
            end do
            call lhs_line(ksize, tz1, tz2)
            call binvcrhs(lhs(1,1,bb,0), lhs(1,1,cc,0), rhs(1,i,j,0))
            do k = 1, ksize-1
               call matvec_sub(lhs(1,1,aa,k), rhs(1,i,j,k-1),
     >              rhs(1,i,j,k))
               call matmul_sub(lhs(1,1,aa,k), lhs(1,1,cc,k-1),
     >              lhs(1,1,bb,k))
               call binvcrhs(lhs(1,1,bb,k), lhs(1,1,cc,k),
     >              rhs(1,i,j,k))
            end do
            call matvec_sub(lhs(1,1,aa,ksize), rhs(1,i,j,ksize-1),
     >           rhs(1,i,j,ksize))
            do k = ksize-1, 0, -1
               do m = 1, 5
                  do n = 1, 5
                     rhs(m,i,j,k) = rhs(m,i,j,k) -
     >                    lhs(m,n,cc,k) * rhs(n,i,j,k+1)
                  end do
               end do
            end do
         end do
      end do
      if (timeron) call timer_stop(t_zsolve)
      return
      end

c     b := b - A a
      subroutine matvec_sub(ablock, avec, bvec)
      implicit none
      double precision ablock(5,5), avec(5), bvec(5)
      integer m, n
      do n = 1, 5
         do m = 1, 5
            bvec(m) = bvec(m) - ablock(m,n) * avec(n)
         end do
      end do
      return
      end

c     C := C - A B
      subroutine matmul_sub(ablock, bblock, cblock)
      implicit none
      double precision ablock(5,5), bblock(5,5), cblock(5,5)
      integer l, m, n
      do l = 1, 5
         do n = 1, 5
            do m = 1, 5
               cblock(m,l) = cblock(m,l) - ablock(m,n) * bblock(n,l)
            end do
         end do
      end do
      return
      end

c     Eliminates a block: c and r are multiplied by its inverse.
      subroutine binvcrhs(block, c, r)
      implicit none
      double precision block(5,5), c(5,5), r(5), pivot, coeff
      integer p, m, n
      do p = 1, 5
         pivot = 1.0d0 / block(p,p)
         do n = p+1, 5
            block(p,n) = block(p,n) * pivot
         end do
         do n = 1, 5
            c(p,n) = c(p,n) * pivot
         end do
         r(p) = r(p) * pivot
         do m = 1, 5
            if (m .ne. p) then
               coeff = block(m,p)
               do n = p+1, 5
                  block(m,n) = block(m,n) - coeff * block(p,n)
               end do
               do n = 1, 5
                  c(m,n) = c(m,n) - coeff * c(p,n)
               end do
               r(m) = r(m) - coeff * r(p)
            end if
         end do
      end do
      return
      end

c     ------------------------------------------------------------------
      subroutine error_norm(rms)
      include 'adi.inc'
      integer i, j, k, m, d
      double precision xi, eta, zeta, u_exact(5), rms(5), apart
      do m = 1, 5
         rms(m) = 0.0d0
      end do
      do k = 0, grid_points(3)-1
         zeta = dble(k) * dnzm1
         do j = 0, grid_points(2)-1
            eta = dble(j) * dnym1
            do i = 0, grid_points(1)-1
               xi = dble(i) * dnxm1
               call exact_solution(xi, eta, zeta, u_exact)
               do m = 1, 5
                  apart = u(m,i,j,k) - u_exact(m)
                  rms(m) = rms(m) + apart*apart
               end do
            end do
         end do
      end do
      do m = 1, 5
         do d = 1, 3
            rms(m) = rms(m) / dble(grid_points(d)-2)
         end do
         rms(m) = dsqrt(rms(m))
      end do
      return
      end

      subroutine rhs_norm(rms)
      include 'adi.inc'
      integer i, j, k, d, m
      double precision rms(5), more
      do m = 1, 5
         rms(m) = 0.0d0
      end do
      do k = 1, grid_points(3)-2
         do j = 1, grid_points(2)-2
            do i = 1, grid_points(1)-2
               do m = 1, 5
                  more = rhs(m,i,j,k)
                  rms(m) = rms(m) + more*more
               end do
            end do
         end do
      end do
      do m = 1, 5
         do d = 1, 3
            rms(m) = rms(m) / dble(grid_points(d)-2)
         end do
         rms(m) = dsqrt(rms(m))
      end do
      return
      end

      subroutine verify(niter, sum, verified)
      include 'adi.inc'
      integer niter, m
      double precision sum, found(10), wanted(10)
      logical verified

      call error_norm(found(1))
      call compute_rhs
      call rhs_norm(found(6))
      do m = 6, 10
         found(m) = found(m) / dt
      end do
      sum = 0.0d0
      do m = 1, 10
         sum = sum + found(m)
         wanted(m) = 0.0d0
      end do
      verified = .true.
      if (grid_points(1) .eq. 64 .and. grid_points(2) .eq. 64 .and.
     >    grid_points(3) .eq. 64 .and. niter .eq. 2) then
         wanted(1) = 7.24074479410515d-01
         wanted(2) = 3.71270069227665d-01
         wanted(3) = 3.39959244462695d-01
         wanted(4) = 3.10176365684863d-01
         wanted(5) = 7.57586144359512d+00
         wanted(6) = 2.44578983404750d+01
         wanted(7) = 1.16224792932775d+01
         wanted(8) = 1.06881914795834d+01
         wanted(9) = 9.78653905905159d+00
         wanted(10) = 2.52123476964539d+02
      else if (grid_points(1) .eq. 12 .and. grid_points(2) .eq. 12
     >    .and. grid_points(3) .eq. 12 .and. niter .eq. 4) then
         wanted(1) = 8.59751320498657d-01
         wanted(2) = 4.33625370434669d-01
         wanted(3) = 3.97491310105484d-01
         wanted(4) = 3.62950186803083d-01
         wanted(5) = 8.87585191514178d+00
         wanted(6) = 3.63677416322119d+00
         wanted(7) = 1.81508836272317d+00
         wanted(8) = 1.66250112921513d+00
         wanted(9) = 1.51787657908748d+00
         wanted(10) = 3.68055034542828d+01
      else
         verified = .false.
      end if
      call compare(10, found, wanted, 1.0d-8, verified)
      return
      end
