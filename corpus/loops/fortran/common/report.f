c     Is what came out what comes out everywhere? Prints each pair and
c     clears the flag if one lies further apart than epsilon.
      subroutine compare(n, found, wanted, epsilon, ok)
      implicit none
      integer n, m
      double precision found(n), wanted(n), epsilon, apart
      logical ok
      do m = 1, n
         apart = dabs(found(m) - wanted(m))
         if (wanted(m) .ne. 0.0d0) apart = apart / dabs(wanted(m))
         if (apart .le. epsilon) then
            write (*, 10) m, found(m), wanted(m)
         else
            write (*, 20) m, found(m), wanted(m)
            ok = .false.
         end if
      end do
 10   format('          ', i2, 2es24.14)
 20   format(' DIFFERS: ', i2, 2es24.14)
      return
      end

      subroutine print_results(name, n1, n2, n3, niter, sum, ok)
      implicit none
      character*(*) name
      integer n1, n2, n3, niter
      double precision sum
      logical ok
      write (*, 10) name, n1, n2, n3, niter
 10   format(' ', a, ': ', i0, ' x ', i0, ' x ', i0, ', ', i0,
     >       ' iterations')
      write (*, 20) sum
 20   format(' checksum ', es20.12)
      if (ok) then
         write (*, 30) 'successful'
      else
         write (*, 30) 'NOT successful'
      end if
 30   format(' verification ', a)
      return
      end
