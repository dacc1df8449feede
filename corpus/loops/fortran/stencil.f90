! stencil: heat in a plate, step by step in time, each step solved by
! relaxation in two colours until the residual is small. Arrays are
! allocated with extents that were read, and live in a module.

module plate
  implicit none
  integer, parameter :: dp = kind(1d0)
  integer :: nx = 48, ny = 40, max_sweeps = 200
  real(dp) :: duration = 0.02_dp, step = 0.002_dp, tolerance = 1.0e-9_dp
  real(dp), allocatable :: t(:, :), old(:, :), source(:, :), profile(:)
  real(dp) :: hx, hy, ax, ay
end module plate

program stencil
  use plate
  implicit none
  integer :: steps, sweeps
  real(dp) :: found(5), wanted(5)
  logical :: verified

  call read_input
  call prepare
  call timer_clear(1)
  call timer_start(1)
  call march(steps, sweeps)
  call timer_stop(1)
  call measure(found)
  found(1) = steps
  found(2) = sweeps
  verified = .true.
  wanted = 0
  if (nx == 48 .and. ny == 40) then
    wanted(1) = 1.00000000000000e+01_dp
    wanted(2) = 7.12000000000000e+02_dp
    wanted(3) = 1.00000000000000e+00_dp
    wanted(4) = 3.90180871132349e+02_dp
    wanted(5) = 4.81800892688564e+02_dp
  else if (nx == 12 .and. ny == 9) then
    wanted(1) = 1.00000000000000e+01_dp
    wanted(2) = 1.63000000000000e+02_dp
    wanted(3) = 1.00000000000000e+00_dp
    wanted(4) = 2.27290158570416e+01_dp
    wanted(5) = 4.12661820255457e+01_dp
  else
    verified = .false.
  end if
  call compare(5, found, wanted, 1.0e-8_dp, verified)
  call print_results('stencil', nx, ny, 1, steps, sum(found), verified)
  if (.not. verified) stop 1

contains

  subroutine read_input
    integer :: unit, status
    open (newunit=unit, file='inputstencil.data', status='old', action='read', iostat=status)
    if (status /= 0) return
    read (unit, *, iostat=status) nx, ny
    if (status == 0) read (unit, *, iostat=status) duration, step
    close (unit)
    if (status /= 0 .or. nx < 3 .or. ny < 3) then
      print *, 'inputstencil.data lacks numbers'
      stop 2
    end if
  end subroutine read_input

  subroutine prepare
    integer :: i, j
    allocate (t(0:nx+1, 0:ny+1), old(0:nx+1, 0:ny+1), source(nx, ny), profile(nx))
    hx = 1.0_dp / (nx + 1)
    hy = 1.0_dp / (ny + 1)
    ax = step / hx**2
    ay = step / hy**2
    t = 0
    do j = 1, ny
      do i = 1, nx
        source(i, j) = 50 * (i*hx) * (1 - i*hx) * sin(3.0_dp * j * hy)
      end do
    end do
    ! Hot on one side, warmer towards the middle.
    do j = lbound(t, 2), ubound(t, 2)
      t(0, j) = 1 - (2*j*hy - 1)**2
    end do
  end subroutine prepare

  ! The clock is a sum of steps, and the end is met from below.
  subroutine march(steps, sweeps)
    integer, intent(out) :: steps, sweeps
    real(dp) :: now, residual
    integer :: taken
    now = 0
    steps = 0
    sweeps = 0
    do while (now < duration - 0.5_dp*step)
      old = t
      call relax(residual, taken)
      now = now + step
      steps = steps + 1
      sweeps = sweeps + taken
      if (mod(steps, 4) == 0) then
        print '(a, i4, a, i5, a, es10.2)', ' step ', steps, ', ', taken, ' sweeps, residual below ', tolerance
      end if
      if (residual > tolerance) then
        print *, 'no convergence'
        stop 2
      end if
    end do
  end subroutine march

  ! Red and black in turn, until nothing moves or the sweeps are used up.
  subroutine relax(residual, taken)
    real(dp), intent(out) :: residual
    integer, intent(out) :: taken
    integer :: sweep, colour, i, j
    real(dp) :: new, omega
    omega = 1.3_dp
    taken = max_sweeps
    do sweep = 1, max_sweeps
      residual = 0
      do colour = 0, 1
        do j = 1, ny
          do i = 1 + mod(j + colour, 2), nx, 2
            new = (old(i, j) + step*source(i, j) + ax*(t(i-1, j) + t(i+1, j)) &
              + ay*(t(i, j-1) + t(i, j+1))) / (1 + 2*ax + 2*ay)
            residual = max(residual, abs(new - t(i, j)))
            t(i, j) = t(i, j) + omega*(new - t(i, j))
          end do
        end do
      end do
      call insulate(t, size(t, 1), size(t, 2))
      if (residual < tolerance) then
        taken = sweep
        exit
      end if
    end do
  end subroutine relax

  ! Nothing flows through the far side and the top.
  subroutine insulate(a, n, m)
    integer, intent(in) :: n, m
    real(dp), intent(inout) :: a(n, m)
    integer :: i, j
    do j = 2, m - 1
      a(n, j) = a(n-1, j)
    end do
    do i = 1, n
      a(i, m) = a(i, m-1)
    end do
  end subroutine insulate

  ! Sums by array expressions, a profile by columns, and where it is warmest.
  subroutine measure(found)
    real(dp), intent(out) :: found(5)
    integer :: i, place, low, high, middle
    do i = 1, nx
      profile(i) = sum(t(i, 1:ny)) / ny
    end do
    place = 1
    do i = 2, nx
      if (profile(i) > profile(place)) place = i
    end do
    found(3) = place
    found(4) = sum(t(1:nx, 1:ny))
    ! The profile falls behind its top: where it goes below half, by halves.
    low = place
    high = nx
    do while (high - low > 1)
      middle = (low + high) / 2
      if (profile(middle) > 0.5_dp*profile(place)) then
        low = middle
      else
        high = middle
      end if
    end do
    found(5) = low + count(t > 0.25_dp)
    call smooth(profile)
    found(5) = found(5) + dot_product(profile, profile)
  end subroutine measure

  ! Running means over windows of one, two, four, ... as long as they fit.
  subroutine smooth(line)
    real(dp), intent(inout) :: line(:)
    real(dp) :: copy(size(line))
    integer :: window, i
    window = 1
    do while (2*window <= size(line))
      copy = line
      do i = 1, size(line) - window
        line(i) = 0.5_dp * (copy(i) + copy(i + window))
      end do
      window = 2*window
    end do
  end subroutine smooth

end program stencil
