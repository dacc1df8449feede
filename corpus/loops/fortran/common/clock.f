c     Stop watches by number, as the older codes have them: cleared,
c     started and stopped from anywhere, all of them in one block.
      subroutine timer_clear(n)
      implicit none
      integer n
      include 'clock.inc'
      elapsed(n) = 0.0d0
      return
      end

      subroutine timer_start(n)
      implicit none
      integer n
      include 'clock.inc'
      call cpu_time(start(n))
      return
      end

      subroutine timer_stop(n)
      implicit none
      integer n
      double precision now
      include 'clock.inc'
      call cpu_time(now)
      elapsed(n) = elapsed(n) + (now - start(n))
      return
      end

      double precision function timer_read(n)
      implicit none
      integer n
      include 'clock.inc'
      timer_read = elapsed(n)
      return
      end
