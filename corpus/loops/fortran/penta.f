c     penta: the same five equations, factored until each line is a
c     scalar system with five diagonals.
c
c     The extents of the inside, nx2, ny2, nz2, are worked out once from
c     grid_points and reach the loops through COMMON.

      program penta
      include 'penta.inc'
      integer niter, step, fstatus
      double precision sum
      logical verified

      open (unit=2, file='inputpenta.data', status='old',
     >     iostat=fstatus)
      if (fstatus .eq. 0) then
         write (*, *) 'reading inputpenta.data'
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
      nx2 = grid_points(1) - 2
      ny2 = grid_points(2) - 2
      nz2 = grid_points(3) - 2

      call set_constants
      call initialize
      call timer_clear(1)
      call timer_start(1)
      do step = 1, niter
         if (mod(step, 20) .eq. 0 .or. step .eq. 1) then
            write (*, 200) step
 200        format(' time step ', i4)
         end if
         call advance
      end do
      call timer_stop(1)
      call verify(niter, sum, verified)
      call print_results('penta', grid_points(1), grid_points(2),
     >     grid_points(3), niter, sum, verified)
      if (.not. verified) stop 1
      end

      subroutine set_constants
      include 'penta.inc'
      integer d
      nu = 0.1d0
      dssp = 0.02d0
      do d = 1, 3
         h(d) = 1.0d0 / dble(grid_points(d) - 1)
      end do
      tx2 = 0.5d0 / h(1)
      ty2 = 0.5d0 / h(2)
      tz2 = 0.5d0 / h(3)
      dttx1 = dt * nu / (h(1)*h(1))
      dtty1 = dt * nu / (h(2)*h(2))
      dttz1 = dt * nu / (h(3)*h(3))
      dttx2 = dt * tx2
      dtty2 = dt * ty2
      dttz2 = dt * tz2
      return
      end

      subroutine initialize
      include 'penta.inc'
      integer i, j, k, m
      double precision x, y, z
      do k = 0, grid_points(3)-1
         z = dble(k) * h(3)
         do j = 0, grid_points(2)-1
            y = dble(j) * h(2)
            do i = 0, grid_points(1)-1
               x = dble(i) * h(1)
               u(1,i,j,k) = 2.0d0 + 0.2d0*x*y + 0.1d0*z
               do m = 2, 4
                  u(m,i,j,k) = 0.3d0*dble(m)*(x-0.5d0)*(y+z)
               end do
               u(5,i,j,k) = 4.0d0 + x*x + y*y + z*z
               do m = 1, 5
                  forcing(m,i,j,k) = 0.05d0*dble(m)*(x + y - z)
               end do
            end do
         end do
      end do
      return
      end

      subroutine advance
      include 'penta.inc'
      call compute_rhs
      call txinvr
      call x_solve
      call ninvr
      call y_solve
      call pinvr
      call z_solve
      call add
      return
      end

      subroutine add
      include 'penta.inc'
      integer i, j, k, m
      do k = 1, nz2
         do j = 1, ny2
            do i = 1, nx2
               do m = 1, 5
                  u(m,i,j,k) = u(m,i,j,k) + rhs(m,i,j,k)
               end do
            end do
         end do
      end do
      return
      end

      subroutine compute_rhs
      include 'penta.inc'
      integer i, j, k, m
      double precision rho

      do k = 0, grid_points(3)-1
         do j = 0, grid_points(2)-1
            do i = 0, grid_points(1)-1
               rho = 1.0d0 / u(1,i,j,k)
               us(i,j,k) = u(2,i,j,k) * rho
               vs(i,j,k) = u(3,i,j,k) * rho
               ws(i,j,k) = u(4,i,j,k) * rho
               speed(i,j,k) = dsqrt(0.56d0 * dabs(u(5,i,j,k)) * rho)
            end do
         end do
      end do
      do k = 0, grid_points(3)-1
         do j = 0, grid_points(2)-1
            do i = 0, grid_points(1)-1
               do m = 1, 5
                  rhs(m,i,j,k) = forcing(m,i,j,k)
               end do
            end do
         end do
      end do
      do k = 1, nz2
         do j = 1, ny2
            do i = 1, nx2
               do m = 1, 5
                  rhs(m,i,j,k) = rhs(m,i,j,k)
     >               - tx2*us(i,j,k)*(u(m,i+1,j,k)-u(m,i-1,j,k))
     >               - ty2*vs(i,j,k)*(u(m,i,j+1,k)-u(m,i,j-1,k))
     >               - tz2*ws(i,j,k)*(u(m,i,j,k+1)-u(m,i,j,k-1))
     >               + (dttx1*(u(m,i+1,j,k)+u(m,i-1,j,k))
     >               + dtty1*(u(m,i,j+1,k)+u(m,i,j-1,k))
     >               + dttz1*(u(m,i,j,k+1)+u(m,i,j,k-1))
     >               - 2.0d0*(dttx1+dtty1+dttz1)*u(m,i,j,k))/dt
               end do
            end do
         end do
c        Dissipation along i: each end has two rows of its own.
         do j = 1, ny2
            i = 1
            do m = 1, 5
               rhs(m,i,j,k) = rhs(m,i,j,k) - dssp*(5.0d0*u(m,i,j,k)
     >              - 4.0d0*u(m,i+1,j,k) + u(m,i+2,j,k))
            end do
            i = 2
            do m = 1, 5
               rhs(m,i,j,k) = rhs(m,i,j,k) - dssp*(
     >              - 4.0d0*u(m,i-1,j,k) + 6.0d0*u(m,i,j,k)
     >              - 4.0d0*u(m,i+1,j,k) + u(m,i+2,j,k))
            end do
         end do
         do j = 1, ny2
            do i = 3, nx2-2
               do m = 1, 5
                  rhs(m,i,j,k) = rhs(m,i,j,k) - dssp*(u(m,i-2,j,k)
     >                 - 4.0d0*u(m,i-1,j,k) + 6.0d0*u(m,i,j,k)
     >                 - 4.0d0*u(m,i+1,j,k) + u(m,i+2,j,k))
               end do
            end do
         end do
         do j = 1, ny2
            i = nx2-1
            do m = 1, 5
               rhs(m,i,j,k) = rhs(m,i,j,k) - dssp*(u(m,i-2,j,k)
     >              - 4.0d0*u(m,i-1,j,k) + 6.0d0*u(m,i,j,k)
     >              - 4.0d0*u(m,i+1,j,k))
            end do
            i = nx2
            do m = 1, 5
               rhs(m,i,j,k) = rhs(m,i,j,k) - dssp*(u(m,i-2,j,k)
     >              - 4.0d0*u(m,i-1,j,k) + 5.0d0*u(m,i,j,k))
            end do
         end do
      end do
      do k = 1, nz2
         do j = 1, ny2
            do i = 1, nx2
               do m = 1, 5
                  rhs(m,i,j,k) = rhs(m,i,j,k) * dt
               end do
            end do
         end do
      end do
      return
      end

c     Between the sweeps the five right-hand sides change their basis.
      subroutine txinvr
      include 'penta.inc'
      integer i, j, k
      double precision r1, r4, r5, c
      do k = 1, nz2
         do j = 1, ny2
            do i = 1, nx2
               c = 1.0d0 / (1.0d0 + speed(i,j,k))
               r1 = rhs(1,i,j,k)
               r4 = rhs(4,i,j,k)
               r5 = rhs(5,i,j,k)
               rhs(1,i,j,k) = r1 - c*0.1d0*r5
               rhs(4,i,j,k) = c*r5 + r4
               rhs(5,i,j,k) = c*r5 - r4
            end do
         end do
      end do
      return
      end

      subroutine ninvr
      include 'penta.inc'
      integer i, j, k
      double precision r1, r2, r4, r5
      do k = 1, nz2
         do j = 1, ny2
            do i = 1, nx2
               r1 = rhs(1,i,j,k)
               r2 = rhs(2,i,j,k)
               r4 = 0.5d0 * rhs(4,i,j,k)
               r5 = 0.5d0 * rhs(5,i,j,k)
               rhs(1,i,j,k) = -r2
               rhs(2,i,j,k) = r1
               rhs(4,i,j,k) = r4 - r5
               rhs(5,i,j,k) = r4 + r5
            end do
         end do
      end do
      return
      end

      subroutine pinvr
      include 'penta.inc'
      integer i, j, k
      double precision r1, r2
      do k = 1, nz2
         do j = 1, ny2
            do i = 1, nx2
               r1 = rhs(1,i,j,k)
               r2 = rhs(2,i,j,k)
               rhs(1,i,j,k) = r2
               rhs(2,i,j,k) = -r1
            end do
         end do
      end do
      return
      end

c     ------------------------------------------------------------------
c     Fixed ends: identity rows 0 and ni in each of nj lines.
      subroutine lhsinit(ni, nj)
      include 'penta.inc'
      integer i, j, m, ni, nj
      do j = 1, nj
         do i = 0, ni, ni
            do m = 1, 5
               lhs(m,i,j) = 0.0d0
               lhsp(m,i,j) = 0.0d0
               lhsm(m,i,j) = 0.0d0
            end do
            lhs(3,i,j) = 1.0d0
            lhsp(3,i,j) = 1.0d0
            lhsm(3,i,j) = 1.0d0
         end do
      end do
      return
      end

c     Dissipation on the diagonals of line j, rows 1 to n.
      subroutine dissipate(n, j)
      include 'penta.inc'
      integer n, i, j
      double precision c
      c = dt * dssp
      lhs(3,1,j) = lhs(3,1,j) + 5.0d0*c
      lhs(4,1,j) = lhs(4,1,j) - 4.0d0*c
      lhs(5,1,j) = lhs(5,1,j) + c
      lhs(2,2,j) = lhs(2,2,j) - 4.0d0*c
      lhs(3,2,j) = lhs(3,2,j) + 6.0d0*c
      lhs(4,2,j) = lhs(4,2,j) - 4.0d0*c
      lhs(5,2,j) = lhs(5,2,j) + c
      do i = 3, n-2
         lhs(1,i,j) = lhs(1,i,j) + c
         lhs(2,i,j) = lhs(2,i,j) - 4.0d0*c
         lhs(3,i,j) = lhs(3,i,j) + 6.0d0*c
         lhs(4,i,j) = lhs(4,i,j) - 4.0d0*c
         lhs(5,i,j) = lhs(5,i,j) + c
      end do
      lhs(1,n-1,j) = lhs(1,n-1,j) + c
      lhs(2,n-1,j) = lhs(2,n-1,j) - 4.0d0*c
      lhs(3,n-1,j) = lhs(3,n-1,j) + 6.0d0*c
      lhs(4,n-1,j) = lhs(4,n-1,j) - 4.0d0*c
      lhs(1,n,j) = lhs(1,n,j) + c
      lhs(2,n,j) = lhs(2,n,j) - 4.0d0*c
      lhs(3,n,j) = lhs(3,n,j) + 5.0d0*c
      return
      end

      subroutine x_solve
      include 'penta.inc'
      integer i, j, k, i1, i2, m, last
      double precision fac1
      last = grid_points(1) - 1
      do k = 1, nz2
         call lhsinit(nx2+1, ny2)
         do j = 1, ny2
            do i = 0, last
               cv(i) = us(i,j,k)
               rhon(i) = 1.0d0 + 0.1d0*speed(i,j,k)
            end do
            do i = 1, nx2
               lhs(1,i,j) = 0.0d0
               lhs(2,i,j) = -dttx2*cv(i-1) - dttx1*rhon(i-1)
               lhs(3,i,j) = 1.0d0 + 2.0d0*dttx1*rhon(i)
               lhs(4,i,j) = dttx2*cv(i+1) - dttx1*rhon(i+1)
               lhs(5,i,j) = 0.0d0
            end do
            call dissipate(nx2, j)
            do i = 1, nx2
               do m = 1, 5
                  lhsp(m,i,j) = lhs(m,i,j)
                  lhsm(m,i,j) = lhs(m,i,j)
               end do
               lhsp(2,i,j) = lhs(2,i,j) - dttx2*speed(i-1,j,k)
               lhsp(4,i,j) = lhs(4,i,j) + dttx2*speed(i+1,j,k)
               lhsm(2,i,j) = lhs(2,i,j) + dttx2*speed(i-1,j,k)
               lhsm(4,i,j) = lhs(4,i,j) - dttx2*speed(i+1,j,k)
            end do
         end do
c        Forward.
         do j = 1, ny2
            do i = 0, last-2
               i1 = i + 1
               i2 = i + 2
               fac1 = 1.0d0 / lhs(3,i,j)
               lhs(4,i,j) = fac1*lhs(4,i,j)
               lhs(5,i,j) = fac1*lhs(5,i,j)
               do m = 1, 3
                  rhs(m,i,j,k) = fac1*rhs(m,i,j,k)
               end do
               lhs(3,i1,j) = lhs(3,i1,j) - lhs(2,i1,j)*lhs(4,i,j)
               lhs(4,i1,j) = lhs(4,i1,j) - lhs(2,i1,j)*lhs(5,i,j)
               do m = 1, 3
                  rhs(m,i1,j,k) = rhs(m,i1,j,k) -
     >                 lhs(2,i1,j)*rhs(m,i,j,k)
               end do
               lhs(2,i2,j) = lhs(2,i2,j) - lhs(1,i2,j)*lhs(4,i,j)
               lhs(3,i2,j) = lhs(3,i2,j) - lhs(1,i2,j)*lhs(5,i,j)
               do m = 1, 3
                  rhs(m,i2,j,k) = rhs(m,i2,j,k) -
     >                 lhs(1,i2,j)*rhs(m,i,j,k)
               end do
            end do
         end do
c        The last two rows have less to their right.
         do j = 1, ny2
            i = last - 1
            i1 = last
            fac1 = 1.0d0 / lhs(3,i,j)
            lhs(4,i,j) = fac1*lhs(4,i,j)
            do m = 1, 3
               rhs(m,i,j,k) = fac1*rhs(m,i,j,k)
            end do
            lhs(3,i1,j) = lhs(3,i1,j) - lhs(2,i1,j)*lhs(4,i,j)
            do m = 1, 3
               rhs(m,i1,j,k) = rhs(m,i1,j,k) - lhs(2,i1,j)*rhs(m,i,j,k)
            end do
            fac1 = 1.0d0 / lhs(3,i1,j)
            do m = 1, 3
               rhs(m,i1,j,k) = fac1*rhs(m,i1,j,k)
            end do
         end do
c        And back.
         do j = 1, ny2
            i = last - 1
            do m = 1, 3
               rhs(m,i,j,k) = rhs(m,i,j,k) - lhs(4,i,j)*rhs(m,i+1,j,k)
            end do
            do i = last-2, 0, -1
               do m = 1, 3
                  rhs(m,i,j,k) = rhs(m,i,j,k) -
     >                 lhs(4,i,j)*rhs(m,i+1,j,k) -
     >                 lhs(5,i,j)*rhs(m,i+2,j,k)
               end do
            end do
         end do
c        Components 4 and 5 move with the waves.
         do j = 1, ny2
            call wave_line(last, lhsp(1,0,j), rhs(4,0,j,k), 5)
            call wave_line(last, lhsm(1,0,j), rhs(5,0,j,k), 5)
         end do
      end do
      return
      end

c     One pentadiagonal line; r has the given stride between points.
      subroutine wave_line(last, l, r, stride)
      implicit none
      integer last, stride, i, p, q, s
      double precision l(5,0:*), r(0:*), fac
      do i = 0, last-2
         p = i*stride
         q = p + stride
         s = q + stride
         fac = 1.0d0 / l(3,i)
         l(4,i) = l(4,i)*fac
         l(5,i) = l(5,i)*fac
         r(p) = r(p)*fac
         l(3,i+1) = l(3,i+1) - l(2,i+1)*l(4,i)
         l(4,i+1) = l(4,i+1) - l(2,i+1)*l(5,i)
         r(q) = r(q) - l(2,i+1)*r(p)
         l(2,i+2) = l(2,i+2) - l(1,i+2)*l(4,i)
         l(3,i+2) = l(3,i+2) - l(1,i+2)*l(5,i)
         r(s) = r(s) - l(1,i+2)*r(p)
      end do
      p = (last-1)*stride
      q = last*stride
      fac = 1.0d0 / l(3,last-1)
      l(4,last-1) = l(4,last-1)*fac
      r(p) = r(p)*fac
      l(3,last) = l(3,last) - l(2,last)*l(4,last-1)
      r(q) = (r(q) - l(2,last)*r(p)) / l(3,last)
      r(p) = r(p) - l(4,last-1)*r(q)
      do i = last-2, 0, -1
         p = i*stride
         r(p) = r(p) - l(4,i)*r(p+stride) - l(5,i)*r(p+2*stride)
      end do
      return
      end

      subroutine y_solve
      include 'penta.inc'
      integer i, j, k, m, last
      last = grid_points(2) - 1
      do k = 1, nz2
         call lhsinit(ny2+1, nx2)
         do i = 1, nx2
            do j = 0, last
               cv(j) = vs(i,j,k)
               rhon(j) = 1.0d0 + 0.1d0*speed(i,j,k)
            end do
            do j = 1, ny2
               lhs(1,j,i) = 0.0d0
               lhs(2,j,i) = -dtty2*cv(j-1) - dtty1*rhon(j-1)
               lhs(3,j,i) = 1.0d0 + 2.0d0*dtty1*rhon(j)
               lhs(4,j,i) = dtty2*cv(j+1) - dtty1*rhon(j+1)
               lhs(5,j,i) = 0.0d0
            end do
            call dissipate(ny2, i)
         end do
         do i = 1, nx2
            do m = 1, 5
               do j = 0, last
                  lhsp(1,j,i) = lhs(1,j,i)
                  lhsp(2,j,i) = lhs(2,j,i)
                  lhsp(3,j,i) = lhs(3,j,i)
                  lhsp(4,j,i) = lhs(4,j,i)
                  lhsp(5,j,i) = lhs(5,j,i)
               end do
               call wave_line(last, lhsp(1,0,i), rhs(m,i,0,k),
     >              5*(imaxp+1))
            end do
         end do
      end do
      return
      end

c     Along k a line is gathered, solved and put back.
      subroutine z_solve
      include 'penta.inc'
      integer i, j, k, m, last
      double precision line(0:problem_size), l(5,0:problem_size)
      last = grid_points(3) - 1
      do j = 1, ny2
         do i = 1, nx2
            do m = 1, 5
               do k = 0, last
                  line(k) = rhs(m,i,j,k)
                  l(1,k) = 0.0d0
                  l(2,k) = 0.0d0
                  l(3,k) = 1.0d0
                  l(4,k) = 0.0d0
                  l(5,k) = 0.0d0
               end do
               do k = 1, nz2
                  l(2,k) = -dttz2*ws(i,j,k-1) - dttz1
                  l(3,k) = 1.0d0 + 2.0d0*dttz1
                  l(4,k) = dttz2*ws(i,j,k+1) - dttz1
               end do
               call wave_line(last, l, line, 1)
               do k = 1, nz2
                  rhs(m,i,j,k) = line(k)
               end do
            end do
         end do
      end do
      return
      end

c     ------------------------------------------------------------------
      subroutine verify(niter, sum, verified)
      include 'penta.inc'
      integer niter, i, j, k, m, d
      double precision sum, found(5), wanted(5)
      logical verified
      do m = 1, 5
         found(m) = 0.0d0
         wanted(m) = 0.0d0
      end do
      do k = 0, grid_points(3)-1
         do j = 0, grid_points(2)-1
            do i = 0, grid_points(1)-1
               do m = 1, 5
                  found(m) = found(m) + u(m,i,j,k)*u(m,i,j,k)
               end do
            end do
         end do
      end do
      sum = 0.0d0
      do m = 1, 5
         do d = 1, 3
            found(m) = found(m) / dble(grid_points(d))
         end do
         found(m) = dsqrt(found(m))
         sum = sum + found(m)
      end do
      verified = .true.
      if (grid_points(1) .eq. 64 .and. niter .eq. 3) then
         wanted(1) = 2.10392193768794d+00
         wanted(2) = 1.93428069224536d-01
         wanted(3) = 2.92193500022095d-01
         wanted(4) = 3.83333646963848d-01
         wanted(5) = 5.05028344112930d+00
      else if (grid_points(1) .eq. 14 .and. niter .eq. 5) then
         wanted(1) = 2.10202242837721d+00
         wanted(2) = 2.03998598763125d-01
         wanted(3) = 3.06593315621572d-01
         wanted(4) = 4.06154116304224d-01
         wanted(5) = 5.07565778483826d+00
      else
         verified = .false.
      end if
      call compare(5, found, wanted, 1.0d-8, verified)
      return
      end
