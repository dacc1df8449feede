c     mg: V cycles of a multigrid method for Poisson's equation with
c     periodic borders. Every level has its extents in arrays m1, m2, m3,
c     indexed by level, and its place ir in the long vectors.

      program mg
      include 'mg.inc'
      integer k, it, nit, n1, n2, n3, fstatus
      double precision rnm2, rnmu, sum
      logical verified

      open (unit=7, file='mg.input', status='old', iostat=fstatus)
      if (fstatus .eq. 0) then
         write (*, *) 'reading mg.input'
         read (7, *) lt
         read (7, *) nx(lt), ny(lt), nz(lt)
         read (7, *) nit
         close (7)
      else
         lt = lt_default
         nit = nit_default
         nx(lt) = nx_default
         ny(lt) = nx_default
         nz(lt) = nx_default
      end if
      if (nx(lt) .gt. 32 .or. ny(lt) .gt. 32 .or. nz(lt) .gt. 32) then
         write (*, *) 'the grid is larger than the arrays'
         stop 2
      end if

      a(0) = -8.0d0/3.0d0
      a(1) = 0.0d0
      a(2) = 1.0d0/6.0d0
      a(3) = 1.0d0/12.0d0
      c(0) = -3.0d0/8.0d0
      c(1) = 1.0d0/32.0d0
      c(2) = -1.0d0/64.0d0
      c(3) = 0.0d0
      lb = 1
      k = lt

      call setup(n1, n2, n3)
      call zero3(u, n1, n2, n3)
      call zran3(v, n1, n2, n3, nx(lt), ny(lt), k)
      call norm2u3(v, n1, n2, n3, rnm2, rnmu, nx(lt), ny(lt), nz(lt))
      call resid(u, v, r, n1, n2, n3, a, k)

      do it = 1, nit
         if (it .eq. 1 .or. it .eq. nit .or. mod(it, 5) .eq. 0) then
            write (*, 80) it
 80         format('  iteration ', i3)
         end if
         call mg3p(u, v, r, a, c, n1, n2, n3, k)
         call resid(u, v, r, n1, n2, n3, a, k)
      end do
      call norm2u3(r, n1, n2, n3, rnm2, rnmu, nx(lt), ny(lt), nz(lt))

      sum = rnm2
      verified = .true.
      call verify(nit, rnm2, rnmu, verified)
      call print_results('mg', nx(lt), ny(lt), nz(lt), nit, sum,
     >     verified)
      if (.not. verified) stop 1
      end

      subroutine verify(nit, rnm2, rnmu, verified)
      include 'mg.inc'
      integer nit
      double precision rnm2, rnmu, found(2), wanted(2)
      logical verified
      found(1) = rnm2
      found(2) = rnmu
      wanted(1) = 0.0d0
      wanted(2) = 0.0d0
      if (nx(lt) .eq. 32 .and. nit .eq. 4) then
         wanted(1) = 5.30770700573488d-05
         wanted(2) = 1.12176687646962d-03
      else if (nx(lt) .eq. 8 .and. nit .eq. 2) then
         wanted(1) = 6.70612946506132d-03
         wanted(2) = 3.73888722172491d-02
      else
         verified = .false.
      end if
      call compare(2, found, wanted, 1.0d-8, verified)
      return
      end

c     The extents of all levels, halved on the way down.
      subroutine setup(n1, n2, n3)
      include 'mg.inc'
      integer n1, n2, n3, k, d, ax, mi(3,maxlevel), ng(3,maxlevel)
      ng(1,lt) = nx(lt)
      ng(2,lt) = ny(lt)
      ng(3,lt) = nz(lt)
      do ax = 1, 3
         do k = lt-1, 1, -1
            ng(ax,k) = ng(ax,k+1) / 2
         end do
      end do
      do k = lt, 1, -1
         nx(k) = ng(1,k)
         ny(k) = ng(2,k)
         nz(k) = ng(3,k)
      end do
      do k = lt, 1, -1
         do d = 1, 3
            mi(d,k) = 2 + ng(d,k)
         end do
         m1(k) = mi(1,k)
         m2(k) = mi(2,k)
         m3(k) = mi(3,k)
      end do
      k = lt
      is1 = 2 + ng(1,k) - ng(1,lt)
      ie1 = 1 + ng(1,k)
      n1 = 3 + ie1 - is1
      is2 = 2 + ng(2,k) - ng(2,lt)
      ie2 = 1 + ng(2,k)
      n2 = 3 + ie2 - is2
      is3 = 2 + ng(3,k) - ng(3,lt)
      ie3 = 1 + ng(3,k)
      n3 = 3 + ie3 - is3
      ir(lt) = 1
      do k = lt-1, 1, -1
         ir(k) = ir(k+1) + m1(k+1)*m2(k+1)*m3(k+1)
      end do
      return
      end

c     One V cycle: down to level lb, and up again.
      subroutine mg3p(u, v, r, a, c, n1, n2, n3, k)
      implicit none
      integer n1, n2, n3, k, j
      double precision u(*), v(*), r(*), a(0:3), c(0:3)
      integer maxlevel
      parameter (maxlevel = 7)
      integer lt, lb, m1(maxlevel), m2(maxlevel), m3(maxlevel),
     >     ir(maxlevel)
      common /fap/ lt, lb, m1, m2, m3, ir
      do k = lt, lb+1, -1
         j = k - 1
         call rprj3(r(ir(k)), m1(k), m2(k), m3(k), r(ir(j)), m1(j),
     >        m2(j), m3(j), k)
      end do
      k = lb
      call zero3(u(ir(k)), m1(k), m2(k), m3(k))
      call psinv(r(ir(k)), u(ir(k)), m1(k), m2(k), m3(k), c, k)
      do k = lb+1, lt-1
         j = k - 1
         call zero3(u(ir(k)), m1(k), m2(k), m3(k))
         call interp(u(ir(j)), m1(j), m2(j), m3(j), u(ir(k)), m1(k),
     >        m2(k), m3(k), k)
         call subtract(u(ir(k)), r(ir(k)), m1(k), m2(k), m3(k), a, k)
         call psinv(r(ir(k)), u(ir(k)), m1(k), m2(k), m3(k), c, k)
      end do
      j = lt - 1
      k = lt
      call interp(u(ir(j)), m1(j), m2(j), m3(j), u, n1, n2, n3, k)
      call resid(u, v, r, n1, n2, n3, a, k)
      call psinv(r, u, n1, n2, n3, c, k)
      return
      end

c     u := u + C r. Sums along the first index are used twice.
      subroutine psinv(r, u, n1, n2, n3, c, k)
      implicit none
      integer n1, n2, n3, k, i1, i2, i3
      double precision r(n1,n2,n3), u(n1,n2,n3), c(0:3)
      double precision r1(34), r2(34)
      do i3 = 2, n3-1
         do i2 = 2, n2-1
            do i1 = 1, n1
               r1(i1) = r(i1,i2-1,i3) + r(i1,i2+1,i3) + r(i1,i2,i3-1)
     >              + r(i1,i2,i3+1)
               r2(i1) = r(i1,i2-1,i3-1) + r(i1,i2+1,i3-1)
     >              + r(i1,i2-1,i3+1) + r(i1,i2+1,i3+1)
            end do
            do i1 = 2, n1-1
               u(i1,i2,i3) = u(i1,i2,i3) + c(0)*r(i1,i2,i3)
     >              + c(1)*(r(i1-1,i2,i3) + r(i1+1,i2,i3) + r1(i1))
     >              + c(2)*(r2(i1) + r1(i1-1) + r1(i1+1))
            end do
         end do
      end do
      call comm3(u, n1, n2, n3, k)
      return
      end

c     r := v - A u
      subroutine resid(u, v, r, n1, n2, n3, a, k)
      implicit none
      integer n1, n2, n3, k, i1, i2, i3
      double precision u(n1,n2,n3), v(n1,n2,n3), r(n1,n2,n3), a(0:3)
      double precision u1(34), u2(34)
      do i3 = 2, n3-1
         do i2 = 2, n2-1
            do i1 = 1, n1
               u1(i1) = u(i1,i2-1,i3) + u(i1,i2+1,i3) + u(i1,i2,i3-1)
     >              + u(i1,i2,i3+1)
               u2(i1) = u(i1,i2-1,i3-1) + u(i1,i2+1,i3-1)
     >              + u(i1,i2-1,i3+1) + u(i1,i2+1,i3+1)
            end do
            do i1 = 2, n1-1
               r(i1,i2,i3) = v(i1,i2,i3) - a(0)*u(i1,i2,i3)
     >              - a(2)*(u2(i1) + u1(i1-1) + u1(i1+1))
     >              - a(3)*(u2(i1-1) + u2(i1+1))
            end do
         end do
      end do
      call comm3(r, n1, n2, n3, k)
      return
      end

c     r := r - A u
      subroutine subtract(u, r, n1, n2, n3, a, k)
      implicit none
      integer n1, n2, n3, k, i1, i2, i3
      double precision u(n1,n2,n3), r(n1,n2,n3), a(0:3)
      double precision u1(34), u2(34)
      do i3 = 2, n3-1
         do i2 = 2, n2-1
            do i1 = 1, n1
               u1(i1) = u(i1,i2-1,i3) + u(i1,i2+1,i3) + u(i1,i2,i3-1)
     >              + u(i1,i2,i3+1)
               u2(i1) = u(i1,i2-1,i3-1) + u(i1,i2+1,i3-1)
     >              + u(i1,i2-1,i3+1) + u(i1,i2+1,i3+1)
            end do
            do i1 = 2, n1-1
               r(i1,i2,i3) = r(i1,i2,i3) - a(0)*u(i1,i2,i3)
     >              - a(2)*(u2(i1) + u1(i1-1) + u1(i1+1))
     >              - a(3)*(u2(i1-1) + u2(i1+1))
            end do
         end do
      end do
      call comm3(r, n1, n2, n3, k)
      return
      end

c     Fine to coarse: weights halve with each step of distance.
      subroutine rprj3(r, m1k, m2k, m3k, s, m1j, m2j, m3j, k)
      implicit none
      integer m1k, m2k, m3k, m1j, m2j, m3j, k
      double precision r(m1k,m2k,m3k), s(m1j,m2j,m3j)
      integer j1, j2, j3, i1, i2, i3, d1, d2, d3, j
      double precision x1(34), y1(34), x2, y2
      d1 = 1
      d2 = 1
      d3 = 1
      if (m1k .eq. 3) d1 = 2
      if (m2k .eq. 3) d2 = 2
      if (m3k .eq. 3) d3 = 2
      do j3 = 2, m3j-1
         i3 = 2*j3 - d3
         do j2 = 2, m2j-1
            i2 = 2*j2 - d2
            do j1 = 2, m1j
               i1 = 2*j1 - d1
               x1(i1-1) = r(i1-1,i2-1,i3) + r(i1-1,i2+1,i3)
     >              + r(i1-1,i2,i3-1) + r(i1-1,i2,i3+1)
               y1(i1-1) = r(i1-1,i2-1,i3-1) + r(i1-1,i2-1,i3+1)
     >              + r(i1-1,i2+1,i3-1) + r(i1-1,i2+1,i3+1)
            end do
            do j1 = 2, m1j-1
               i1 = 2*j1 - d1
               y2 = r(i1,i2-1,i3-1) + r(i1,i2-1,i3+1)
     >              + r(i1,i2+1,i3-1) + r(i1,i2+1,i3+1)
               x2 = r(i1,i2-1,i3) + r(i1,i2+1,i3) + r(i1,i2,i3-1)
     >              + r(i1,i2,i3+1)
               s(j1,j2,j3) = 0.5d0*r(i1,i2,i3)
     >              + 0.25d0*(r(i1-1,i2,i3) + r(i1+1,i2,i3) + x2)
     >              + 0.125d0*(x1(i1-1) + x1(i1+1) + y2)
     >              + 0.0625d0*(y1(i1-1) + y1(i1+1))
            end do
         end do
      end do
      j = k - 1
      call comm3(s, m1j, m2j, m3j, j)
      return
      end

c     Coarse to fine, added: eight corners of each coarse cell.
      subroutine interp(z, mm1, mm2, mm3, u, n1, n2, n3, k)
      implicit none
      integer mm1, mm2, mm3, n1, n2, n3, k, i1, i2, i3
      double precision z(mm1,mm2,mm3), u(n1,n2,n3)
      double precision z1(34), z2(34), z3(34)
      do i3 = 1, mm3-1
         do i2 = 1, mm2-1
            do i1 = 1, mm1
               z1(i1) = z(i1,i2+1,i3) + z(i1,i2,i3)
               z2(i1) = z(i1,i2,i3+1) + z(i1,i2,i3)
               z3(i1) = z(i1,i2+1,i3+1) + z(i1,i2,i3+1) + z1(i1)
            end do
            do i1 = 1, mm1-1
               u(2*i1-1,2*i2-1,2*i3-1) = u(2*i1-1,2*i2-1,2*i3-1)
     >              + z(i1,i2,i3)
               u(2*i1,2*i2-1,2*i3-1) = u(2*i1,2*i2-1,2*i3-1)
     >              + 0.5d0*(z(i1+1,i2,i3) + z(i1,i2,i3))
            end do
            do i1 = 1, mm1-1
               u(2*i1-1,2*i2,2*i3-1) = u(2*i1-1,2*i2,2*i3-1)
     >              + 0.5d0*z1(i1)
               u(2*i1,2*i2,2*i3-1) = u(2*i1,2*i2,2*i3-1)
     >              + 0.25d0*(z1(i1) + z1(i1+1))
            end do
            do i1 = 1, mm1-1
               u(2*i1-1,2*i2-1,2*i3) = u(2*i1-1,2*i2-1,2*i3)
     >              + 0.5d0*z2(i1)
               u(2*i1,2*i2-1,2*i3) = u(2*i1,2*i2-1,2*i3)
     >              + 0.25d0*(z2(i1) + z2(i1+1))
            end do
            do i1 = 1, mm1-1
               u(2*i1-1,2*i2,2*i3) = u(2*i1-1,2*i2,2*i3)
     >              + 0.25d0*z3(i1)
               u(2*i1,2*i2,2*i3) = u(2*i1,2*i2,2*i3)
     >              + 0.125d0*(z3(i1) + z3(i1+1))
            end do
         end do
      end do
      return
      end

c     Periodic borders: each face is copied from the other side.
      subroutine comm3(u, n1, n2, n3, kk)
      implicit none
      integer n1, n2, n3, kk, i1, i2, i3
      double precision u(n1,n2,n3)
      do i3 = 2, n3-1
         do i2 = 2, n2-1
            u(1,i2,i3) = u(n1-1,i2,i3)
            u(n1,i2,i3) = u(2,i2,i3)
         end do
         do i1 = 1, n1
            u(i1,1,i3) = u(i1,n2-1,i3)
            u(i1,n2,i3) = u(i1,2,i3)
         end do
      end do
      do i2 = 1, n2
         do i1 = 1, n1
            u(i1,i2,1) = u(i1,i2,n3-1)
            u(i1,i2,n3) = u(i1,i2,2)
         end do
      end do
      return
      end

      subroutine norm2u3(r, n1, n2, n3, rnm2, rnmu, nx0, ny0, nz0)
      implicit none
      integer n1, n2, n3, nx0, ny0, nz0, i1, i2, i3
      double precision r(n1,n2,n3), rnm2, rnmu, s, e
      s = 0.0d0
      rnmu = 0.0d0
      do i3 = 2, n3-1
         do i2 = 2, n2-1
            do i1 = 2, n1-1
               s = s + r(i1,i2,i3)**2
               e = dabs(r(i1,i2,i3))
               if (e .gt. rnmu) rnmu = e
            end do
         end do
      end do
      rnm2 = dsqrt(s / (dble(nx0)*dble(ny0)*dble(nz0)))
      return
      end

      subroutine zero3(z, n1, n2, n3)
      implicit none
      integer n1, n2, n3, i1, i2, i3
      double precision z(n1,n2,n3)
      do i3 = 1, n3
         do i2 = 1, n2
            do i1 = 1, n1
               z(i1,i2,i3) = 0.0d0
            end do
         end do
      end do
      return
      end

c     Charges +1 and -1 where random numbers are largest and smallest.
      subroutine zran3(z, n1, n2, n3, nx, ny, k)
      implicit none
      integer is1, is2, is3, ie1, ie2, ie3
      common /grid/ is1, is2, is3, ie1, ie2, ie3
      integer n1, n2, n3, nx, ny, k, mm, i, i1, i2, i3, d1, e2, e3
      parameter (mm = 10)
      double precision z(n1,n2,n3), ten(mm,0:1)
      integer j1(mm,0:1), j2(mm,0:1), j3(mm,0:1)
      integer*8 a, a1, a2, x0, x1, xx
      double precision junk, uniform
      external uniform
      a = 1220703125_8
      call power(a, nx, a1)
      call power(a, nx*ny, a2)
      call zero3(z, n1, n2, n3)
      d1 = ie1 - is1 + 1
      e2 = ie2 - is2 + 2
      e3 = ie3 - is3 + 2
      x0 = 314159265_8
      do i3 = 2, e3
         x1 = x0
         do i2 = 2, e2
            xx = x1
            call uniforms(d1, xx, a, z(2,i2,i3))
            junk = uniform(x1, a1)
         end do
         junk = uniform(x0, a2)
      end do
      do i = 1, mm
         ten(i,1) = 0.0d0
         ten(i,0) = 1.0d0
         j1(i,0) = 0
         j2(i,0) = 0
         j3(i,0) = 0
         j1(i,1) = 0
         j2(i,1) = 0
         j3(i,1) = 0
      end do
      do i3 = 2, n3-1
         do i2 = 2, n2-1
            do i1 = 2, n1-1
               if (z(i1,i2,i3) .gt. ten(1,1)) then
                  ten(1,1) = z(i1,i2,i3)
                  j1(1,1) = i1
                  j2(1,1) = i2
                  j3(1,1) = i3
                  call bubble(ten, j1, j2, j3, mm, 1)
               end if
               if (z(i1,i2,i3) .lt. ten(1,0)) then
                  ten(1,0) = z(i1,i2,i3)
                  j1(1,0) = i1
                  j2(1,0) = i2
                  j3(1,0) = i3
                  call bubble(ten, j1, j2, j3, mm, 0)
               end if
            end do
         end do
      end do
      call zero3(z, n1, n2, n3)
      do i = mm, 1, -1
         z(j1(i,0),j2(i,0),j3(i,0)) = -1.0d0
      end do
      do i = mm, 1, -1
         z(j1(i,1),j2(i,1),j3(i,1)) = 1.0d0
      end do
      call comm3(z, n1, n2, n3, k)
      return
      end

c     Moves the newcomer to its place; leaves as soon as it is there.
      subroutine bubble(ten, j1, j2, j3, m, ind)
      implicit none
      integer m, ind, i, j1(m,0:1), j2(m,0:1), j3(m,0:1), t
      double precision ten(m,0:1), temp
      logical wrong
      do i = 1, m-1
         if (ind .eq. 1) then
            wrong = ten(i,ind) .gt. ten(i+1,ind)
         else
            wrong = ten(i,ind) .lt. ten(i+1,ind)
         end if
         if (.not. wrong) return
         temp = ten(i+1,ind)
         ten(i+1,ind) = ten(i,ind)
         ten(i,ind) = temp
         t = j1(i+1,ind)
         j1(i+1,ind) = j1(i,ind)
         j1(i,ind) = t
         t = j2(i+1,ind)
         j2(i+1,ind) = j2(i,ind)
         j2(i,ind) = t
         t = j3(i+1,ind)
         j3(i+1,ind) = j3(i,ind)
         j3(i,ind) = t
      end do
      return
      end
