!mod$ v1 sum:c83f4bc24dfa9fa3
!need$ fb4e9d3e60dcea9d n grid_base
module grid_steps
use grid_base,only:width
contains
function step(n)
integer(4),intent(in)::n
integer(4)::step
end
end
