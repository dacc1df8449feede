c     mesh: heat on a square that is cut into squares of several sizes.
c     A source moves; where the heat changes fast, elements are cut in
c     four, where it does not, four become one. Neighbours differ by one
c     level at most. What bounds most loops is computed on the way.

      program mesh
      include 'mesh.inc'
      integer steps, step, i, fstatus, cuts, joins
      double precision found(6), wanted(6), sum
      logical verified

      steps = 30
      open (unit=2, file='inputmesh.data', status='old',
     >     iostat=fstatus)
      if (fstatus .eq. 0) then
         read (2, *) steps
         close (2)
      end if
      call create_initial_grid
      cuts = 0
      joins = 0
      call timer_clear(1)
      call timer_start(1)
      do step = 1, steps
         call heat_source(step, steps)
         call mark
         call balance
         call refine(cuts)
         call coarsen(joins)
         call pack
         call connect
         call diffuse(4)
      end do
      call timer_stop(1)
      call number_nodes

      found(1) = dble(nelt)
      found(2) = dble(nadj)
      found(3) = dble(nnode)
      found(4) = dble(cuts)
      found(5) = dble(joins)
      found(6) = 0.0d0
      do i = 1, nelt
         found(6) = found(6) + ta(i)*dble(2**(lmax-level(i)))**2
      end do
      sum = 0.0d0
      do i = 1, 6
         wanted(i) = 0.0d0
         sum = sum + found(i)
      end do
      verified = .true.
      if (steps .eq. 30) then
         wanted(1) = 9.76000000000000d+02
         wanted(2) = 4.01000000000000d+03
         wanted(3) = 1.07700000000000d+03
         wanted(4) = 8.87000000000000d+02
         wanted(5) = 5.67000000000000d+02
         wanted(6) = 6.76366310308414d+02
      else if (steps .eq. 5) then
         wanted(1) = 9.40000000000000d+01
         wanted(2) = 3.78000000000000d+02
         wanted(3) = 1.24000000000000d+02
         wanted(4) = 3.00000000000000d+01
         wanted(5) = 4.00000000000000d+00
         wanted(6) = 6.91806732479999d+02
      else
         verified = .false.
      end if
      call compare(6, found, wanted, 1.0d-8, verified)
      call print_results('mesh', nf, nf, lmax, steps, sum, verified)
      if (.not. verified) stop 1
      end

c     Sixteen squares of level 2.
      subroutine create_initial_grid
      include 'mesh.inc'
      integer i, j, e
      nelt = 0
      nfree = 0
      do j = 0, 3
         do i = 0, 3
            nelt = nelt + 1
            ix(nelt) = i
            iy(nelt) = j
            level(nelt) = 2
            flag(nelt) = 0
            ta(nelt) = 0.0d0
         end do
      end do
      ntot = nelt
      do e = 1, nelt
         call own(e)
      end do
      return
      end

c     Every finest cell knows who covers it.
      subroutine own(e)
      include 'mesh.inc'
      integer e, size, i, j
      size = 2**(lmax-level(e))
      do j = iy(e)*size, (iy(e)+1)*size-1
         do i = ix(e)*size, (ix(e)+1)*size-1
            owner(i,j) = e
         end do
      end do
      return
      end

      subroutine heat_source(step, steps)
      include 'mesh.inc'
      integer step, steps, e
      double precision x, y, cx, cy, angle, size, d
      angle = 6.283185307179586d0*dble(step)/dble(steps)
      cx = 0.5d0 + 0.3d0*dcos(angle)
      cy = 0.5d0 + 0.3d0*dsin(angle)
      do e = 1, nelt
         ta(e) = 0.8d0*ta(e)
         size = 1.0d0/dble(2**level(e))
         x = (dble(ix(e)) + 0.5d0)*size
         y = (dble(iy(e)) + 0.5d0)*size
         d = (x-cx)**2 + (y-cy)**2
         if (d .lt. 0.02d0) ta(e) = ta(e) + 1.0d0 - 50.0d0*d
      end do
      return
      end

c     1: to be cut; -1: may be joined.
      subroutine mark
      include 'mesh.inc'
      integer e, side, size, n, t, i, j
      double precision jump
      do e = 1, nelt
         size = 2**(lmax-level(e))
         jump = 0.0d0
         do side = 1, 4
            do t = 0, size-1
               call beside(e, side, t, size, i, j)
               if (i .ge. 0 .and. i .lt. nf .and. j .ge. 0 .and.
     >              j .lt. nf) then
                  n = owner(i,j)
                  if (dabs(ta(n)-ta(e)) .gt. jump) then
                     jump = dabs(ta(n)-ta(e))
                  end if
               end if
            end do
         end do
         flag(e) = 0
         if (jump .gt. 0.25d0 .and. level(e) .lt. lmax) flag(e) = 1
         if (jump .lt. 0.05d0 .and. level(e) .gt. 1) flag(e) = -1
      end do
      return
      end

c     The finest cell across side, t cells along it.
      subroutine beside(e, side, t, size, i, j)
      include 'mesh.inc'
      integer e, side, t, size, i, j
      if (side .eq. 1) then
         i = ix(e)*size - 1
         j = iy(e)*size + t
      else if (side .eq. 2) then
         i = (ix(e)+1)*size
         j = iy(e)*size + t
      else if (side .eq. 3) then
         i = ix(e)*size + t
         j = iy(e)*size - 1
      else
         i = ix(e)*size + t
         j = (iy(e)+1)*size
      end if
      return
      end

c     Who is cut pulls coarser neighbours along, until nothing moves.
      subroutine balance
      include 'mesh.inc'
      integer e, n, side, size, t, i, j
      head = 1
      tail = 1
      do e = 1, nelt
         if (flag(e) .eq. 1) then
            queue(tail) = e
            tail = tail + 1
         end if
      end do
      do while (head .lt. tail)
         e = queue(head)
         head = head + 1
         size = 2**(lmax-level(e))
         do side = 1, 4
            do t = 0, size-1
               call beside(e, side, t, size, i, j)
               if (i .lt. 0 .or. i .ge. nf) goto 100
               if (j .lt. 0 .or. j .ge. nf) goto 100
               n = owner(i,j)
               if (level(n) .lt. level(e) .and. flag(n) .ne. 1) then
                  flag(n) = 1
                  if (tail .gt. lqueue) then
                     write (*, *) 'the queue is full'
                     stop 2
                  end if
                  queue(tail) = n
                  tail = tail + 1
               end if
            end do
 100        continue
         end do
      end do
      return
      end

      integer function new_element()
      include 'mesh.inc'
      if (nfree .gt. 0) then
         new_element = free(nfree)
         nfree = nfree - 1
      else
         ntot = ntot + 1
         if (ntot .gt. lelt) then
            write (*, *) 'there are too many elements'
            stop 2
         end if
         new_element = ntot
      end if
      return
      end

      subroutine refine(cuts)
      include 'mesh.inc'
      integer cuts, e, n, child, old, new_element
      external new_element
      old = nelt
      do e = 1, old
         if (flag(e) .eq. 1 .and. level(e) .lt. lmax) then
            cuts = cuts + 1
            do child = 1, 3
               n = new_element()
               ix(n) = 2*ix(e) + mod(child, 2)
               iy(n) = 2*iy(e) + child/2
               level(n) = level(e) + 1
               ta(n) = ta(e)
               flag(n) = 0
               call own(n)
            end do
            ix(e) = 2*ix(e)
            iy(e) = 2*iy(e)
            level(e) = level(e) + 1
            flag(e) = 0
            call own(e)
         end if
      end do
      nelt = ntot
      return
      end

c     Four that all may be joined, of one parent and of one level, with
c     no neighbour that is finer.
      subroutine coarsen(joins)
      include 'mesh.inc'
      integer joins, e, k, s(4), side, size, t, i, j, n
      logical can
      do e = 1, nelt
         if (flag(e) .ne. -1 .or. mod(ix(e), 2) .ne. 0 .or.
     >        mod(iy(e), 2) .ne. 0 .or. level(e) .le. 1) goto 200
         size = 2**(lmax-level(e))
         s(1) = e
         s(2) = owner((ix(e)+1)*size, iy(e)*size)
         s(3) = owner(ix(e)*size, (iy(e)+1)*size)
         s(4) = owner((ix(e)+1)*size, (iy(e)+1)*size)
         can = .true.
         do k = 2, 4
            if (flag(s(k)) .ne. -1 .or. level(s(k)) .ne. level(e)) then
               can = .false.
            end if
         end do
         if (.not. can) goto 200
         do k = 1, 4
            do side = 1, 4
               do t = 0, size-1
                  call beside(s(k), side, t, size, i, j)
                  if (i .ge. 0 .and. i .lt. nf .and. j .ge. 0 .and.
     >                 j .lt. nf) then
                     n = owner(i,j)
                     if (level(n) .gt. level(e)) goto 200
                  end if
               end do
            end do
         end do
         joins = joins + 1
         ta(e) = 0.25d0*(ta(s(1)) + ta(s(2)) + ta(s(3)) + ta(s(4)))
         do k = 2, 4
            level(s(k)) = -1
            flag(s(k)) = 0
            nfree = nfree + 1
            free(nfree) = s(k)
         end do
         ix(e) = ix(e)/2
         iy(e) = iy(e)/2
         level(e) = level(e) - 1
         flag(e) = 0
         call own(e)
 200     continue
      end do
      return
      end

c     The last ones move into the holes.
      subroutine pack
      include 'mesh.inc'
      integer e, last
      last = ntot
      e = 1
      do while (e .le. last)
         if (level(e) .ge. 0) then
            e = e + 1
         else if (level(last) .lt. 0) then
            last = last - 1
         else
            ix(e) = ix(last)
            iy(e) = iy(last)
            level(e) = level(last)
            flag(e) = flag(last)
            ta(e) = ta(last)
            call own(e)
            level(last) = -1
            last = last - 1
            e = e + 1
         end if
      end do
      nelt = last
      ntot = last
      nfree = 0
      return
      end

c     Rows of neighbours; the step along a side is the neighbour's size.
      subroutine connect
      include 'mesh.inc'
      integer e, n, side, size, t, i, j, step
      nadj = 0
      do e = 1, nelt
         first(e) = nadj + 1
         size = 2**(lmax-level(e))
         do side = 1, 4
            t = 0
            do while (t .lt. size)
               call beside(e, side, t, size, i, j)
               if (i .lt. 0 .or. i .ge. nf .or. j .lt. 0 .or.
     >              j .ge. nf) exit
               n = owner(i,j)
               step = min(size, 2**(lmax-level(n)))
               nadj = nadj + 1
               if (nadj .gt. ladj) then
                  write (*, *) 'there are too many neighbours'
                  stop 2
               end if
               adj(nadj) = n
               width(nadj) = dble(step)/dble(size)
               t = t + step
            end do
         end do
      end do
      first(nelt+1) = nadj + 1
      return
      end

      subroutine diffuse(rounds)
      include 'mesh.inc'
      integer rounds, round, e, k
      double precision flow
      do round = 1, rounds
         do e = 1, nelt
            flow = 0.0d0
            do k = first(e), first(e+1)-1
               flow = flow + width(k)*(ta(adj(k)) - ta(e))
            end do
            tb(e) = ta(e) + 0.1d0*flow
         end do
         do e = 1, nelt
            ta(e) = tb(e)
         end do
      end do
      return
      end

c     Corners get numbers: a table with open addresses.
      subroutine number_nodes
      include 'mesh.inc'
      integer e, corner, size, i, j, key, h
      nnode = 0
      do h = 0, lhash-1
         table(h) = -1
      end do
      do e = 1, nelt
         size = 2**(lmax-level(e))
         do corner = 1, 4
            i = (ix(e) + mod(corner-1, 2))*size
            j = (iy(e) + (corner-1)/2)*size
            key = j*(nf+1) + i
            h = mod(key*37, lhash)
            do while (table(h) .ne. key .and. table(h) .ge. 0)
               h = h + 1
               if (h .ge. lhash) h = 0
            end do
            if (table(h) .lt. 0) then
               table(h) = key
               nnode = nnode + 1
               number(h) = nnode
            end if
            vertex(corner,e) = number(h)
         end do
      end do
      return
      end
