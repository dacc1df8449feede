!mod$ v1 sum:fb4e9d3e60dcea9d
module grid_base
integer(4),parameter::width=7_4
end
