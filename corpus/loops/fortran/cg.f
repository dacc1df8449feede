c     cg: the smallest eigenvalue of a sparse symmetric matrix with a
c     random pattern, by conjugate gradients. Row j lies between
c     rowstr(j) and rowstr(j+1)-1: the lengths of the inner loops are
c     data. What can be said of them is their sum.

      program cg
      include 'cg.inc'
      integer i, j, k, it, steps, fstatus
      double precision zeta, rnorm, norm1, norm2, found(2), wanted(2),
     >     uniform
      external uniform
      logical verified

      steps = niter
      open (unit=4, file='cg.input', status='old', iostat=fstatus)
      if (fstatus .eq. 0) then
         read (4, *) steps
         close (4)
      end if
      naa = na
      nzz = nz
      firstrow = 1
      lastrow = na
      firstcol = 1
      lastcol = na
      tran = 314159265_8
      amult = 1220703125_8
      zeta = uniform(tran, amult)
      call makea(naa, nzz, a, colidx, rowstr, firstrow, lastrow,
     >     firstcol, lastcol, arow, acol, aelt, iv)

c     Columns from 1, whatever part of the matrix this is.
      do j = 1, lastrow-firstrow+1
         do k = rowstr(j), rowstr(j+1)-1
            colidx(k) = colidx(k) - firstcol + 1
         end do
      end do

      do i = 1, na+1
         x(i) = 1.0d0
      end do
      zeta = 0.0d0
      call timer_clear(1)
      call timer_start(1)
      do it = 1, steps
         call conj_grad(colidx, rowstr, x, z, a, p, q, r, rnorm)
         norm1 = 0.0d0
         norm2 = 0.0d0
         do j = 1, lastcol-firstcol+1
            norm1 = norm1 + x(j)*z(j)
            norm2 = norm2 + z(j)*z(j)
         end do
         norm2 = 1.0d0 / dsqrt(norm2)
         zeta = shift + 1.0d0/norm1
         write (*, 10) it, rnorm, zeta
 10      format(4x, i5, 6x, e21.10, f20.13)
         do j = 1, lastcol-firstcol+1
            x(j) = norm2*z(j)
         end do
      end do
      call timer_stop(1)

      found(1) = zeta
      found(2) = dble(rowstr(naa+1)-1)
      wanted(1) = 0.0d0
      wanted(2) = 0.0d0
      verified = .true.
      if (steps .eq. 5) then
         wanted(1) = 8.59715491517665d+00
         wanted(2) = 7.81480000000000d+04
      else if (steps .eq. 2) then
         wanted(1) = 8.57332792032217d+00
         wanted(2) = 7.81480000000000d+04
      else
         verified = .false.
      end if
      call compare(2, found, wanted, 1.0d-8, verified)
      call print_results('cg', na, nonzer, 0, steps, zeta, verified)
      if (.not. verified) stop 1
      end

c     ------------------------------------------------------------------
      subroutine conj_grad(colidx, rowstr, x, z, a, p, q, r, rnorm)
      implicit none
      integer naa, nzz, firstrow, lastrow, firstcol, lastcol
      common /partit_size/ naa, nzz, firstrow, lastrow, firstcol,
     >     lastcol
      integer colidx(nzz), rowstr(naa+1), j, k, cgit, cgitmax
      double precision x(*), z(*), a(nzz), p(*), q(*), r(*), rnorm
      double precision d, sum, rho, rho0, alpha, beta
      data cgitmax /25/

      rho = 0.0d0
      do j = 1, naa+1
         q(j) = 0.0d0
         z(j) = 0.0d0
         r(j) = x(j)
         p(j) = r(j)
      end do
      do j = 1, lastcol-firstcol+1
         rho = rho + r(j)*r(j)
      end do
      do cgit = 1, cgitmax
         do j = 1, lastrow-firstrow+1
            sum = 0.0d0
            do k = rowstr(j), rowstr(j+1)-1
               sum = sum + a(k)*p(colidx(k))
            end do
            q(j) = sum
         end do
         d = 0.0d0
         do j = 1, lastcol-firstcol+1
            d = d + p(j)*q(j)
         end do
         alpha = rho / d
         rho0 = rho
         rho = 0.0d0
         do j = 1, lastcol-firstcol+1
            z(j) = z(j) + alpha*p(j)
            r(j) = r(j) - alpha*q(j)
         end do
         do j = 1, lastcol-firstcol+1
            rho = rho + r(j)*r(j)
         end do
         beta = rho / rho0
         do j = 1, lastcol-firstcol+1
            p(j) = r(j) + beta*p(j)
         end do
      end do

      sum = 0.0d0
      do j = 1, lastrow-firstrow+1
         d = 0.0d0
         do k = rowstr(j), rowstr(j+1)-1
            d = d + a(k)*z(colidx(k))
         end do
         r(j) = d
      end do
      do j = 1, lastcol-firstcol+1
         d = x(j) - r(j)
         sum = sum + d*d
      end do
      rnorm = dsqrt(sum)
      return
      end

c     A sum of outer products of sparse random vectors, and a diagonal.
      subroutine makea(n, nz, a, colidx, rowstr, firstrow, lastrow,
     >     firstcol, lastcol, arow, acol, aelt, iv)
      implicit none
      integer nonzer
      parameter (nonzer = 7)
      integer n, nz, firstrow, lastrow, firstcol, lastcol
      integer colidx(nz), rowstr(n+1), arow(n), acol(nonzer+1,n),
     >     iv(nz+n)
      double precision a(nz), aelt(nonzer+1,n), vc(nonzer+1)
      integer iouter, ivelt, nzv, nn1, ivc(nonzer+1)

c     The smallest power of two that is not below n.
      nn1 = 1
 50   continue
      nn1 = 2*nn1
      if (nn1 .lt. n) goto 50

      do iouter = 1, n
         nzv = nonzer
         call sprnvc(n, nzv, nn1, vc, ivc)
         call vecset(vc, ivc, nzv, iouter, 0.5d0)
         arow(iouter) = nzv
         do ivelt = 1, nzv
            acol(ivelt, iouter) = ivc(ivelt)
            aelt(ivelt, iouter) = vc(ivelt)
         end do
      end do
      call sparse(a, colidx, rowstr, n, nz, arow, acol, aelt, firstrow,
     >     lastrow, iv(1), iv(n+1))
      return
      end

c     nz different places between 1 and n, and what stands there. Draws
c     until there are enough.
      subroutine sprnvc(n, nz, nn1, v, iv)
      implicit none
      integer n, nz, nn1, iv(*), nzv, i, ii
      double precision v(*), vecelt, vecloc, uniform
      external uniform
      integer*8 tran, amult
      common /urando/ amult, tran
      nzv = 0
 100  continue
      if (nzv .ge. nz) goto 110
      vecelt = uniform(tran, amult)
      vecloc = uniform(tran, amult)
      i = int(dble(nn1)*vecloc) + 1
      if (i .gt. n) goto 100
      do ii = 1, nzv
         if (iv(ii) .eq. i) goto 100
      end do
      nzv = nzv + 1
      v(nzv) = vecelt
      iv(nzv) = i
      goto 100
 110  continue
      return
      end

c     Element i becomes val; it is added if it is not there.
      subroutine vecset(v, iv, nzv, i, val)
      implicit none
      integer nzv, iv(*), i, k
      double precision v(*), val
      logical set
      set = .false.
      do k = 1, nzv
         if (iv(k) .eq. i) then
            v(k) = val
            set = .true.
         end if
      end do
      if (.not. set) then
         nzv = nzv + 1
         v(nzv) = val
         iv(nzv) = i
      end if
      return
      end

c     Sums the triples row by row; equal columns become one element.
      subroutine sparse(a, colidx, rowstr, n, nz, arow, acol, aelt,
     >     firstrow, lastrow, nzloc, mark)
      implicit none
      integer nonzer
      parameter (nonzer = 7)
      integer n, nz, firstrow, lastrow, nrows
      integer colidx(nz), rowstr(n+1), arow(n), acol(nonzer+1,n),
     >     nzloc(n), mark(nz)
      double precision a(nz), aelt(nonzer+1,n), rcond, shift
      parameter (rcond = 1.0d-1, shift = 10.0d0)
      integer i, j, j1, j2, nza, k, kk, nzrow, jcol
      double precision size, scale, ratio, va

      nrows = lastrow - firstrow + 1
      do j = 1, nrows+1
         rowstr(j) = 0
      end do
      do i = 1, n
         do nza = 1, arow(i)
            j = acol(nza, i) + 1
            rowstr(j) = rowstr(j) + arow(i)
         end do
      end do
      rowstr(1) = 1
      do j = 2, nrows+1
         rowstr(j) = rowstr(j) + rowstr(j-1)
      end do
      nza = rowstr(nrows+1) - 1
      if (nza .gt. nz) then
         write (*, *) 'there is no space for the matrix', nza, nz
         stop 2
      end if
      do j = 1, nrows
         do k = rowstr(j), rowstr(j+1)-1
            a(k) = 0.0d0
            colidx(k) = 0
            mark(k) = 0
         end do
         nzloc(j) = 0
      end do

      size = 1.0d0
      ratio = rcond ** (1.0d0 / dble(n))
      do i = 1, n
         do nza = 1, arow(i)
            j = acol(nza, i)
            scale = size * aelt(nza, i)
            do nzrow = 1, arow(i)
               jcol = acol(nzrow, i)
               va = aelt(nzrow, i) * scale
               if (jcol .eq. j .and. j .eq. i) then
                  va = va + rcond - shift
               end if
               do k = rowstr(j), rowstr(j+1)-1
                  if (colidx(k) .gt. jcol) then
c                    Later ones make room.
                     do kk = rowstr(j+1)-2, k, -1
                        if (colidx(kk) .gt. 0) then
                           a(kk+1) = a(kk)
                           colidx(kk+1) = colidx(kk)
                        end if
                     end do
                     colidx(k) = jcol
                     a(k) = 0.0d0
                     goto 40
                  else if (colidx(k) .eq. 0) then
                     colidx(k) = jcol
                     goto 40
                  else if (colidx(k) .eq. jcol) then
                     nzloc(j) = nzloc(j) + 1
                     goto 40
                  end if
               end do
               write (*, *) 'a row is full', i
               stop 2
 40            continue
               a(k) = a(k) + va
            end do
         end do
         size = size * ratio
      end do

c     Rows move together over what was saved.
      do j = 2, nrows
         nzloc(j) = nzloc(j) + nzloc(j-1)
      end do
      do j = 1, nrows
         if (j .gt. 1) then
            j1 = rowstr(j) - nzloc(j-1)
         else
            j1 = 1
         end if
         j2 = rowstr(j+1) - nzloc(j)
         nza = rowstr(j)
         do k = j1, j2-1
            a(k) = a(nza)
            colidx(k) = colidx(nza)
            nza = nza + 1
         end do
      end do
      do j = 2, nrows+1
         rowstr(j) = rowstr(j) - nzloc(j-1)
      end do
      return
      end
