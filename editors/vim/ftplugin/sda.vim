" How .sda sources are written: the layout of `vc3 fmt`.
if exists("b:did_ftplugin")
  finish
endif
let b:did_ftplugin = 1
setlocal comments=:; commentstring=;\ %s
setlocal expandtab shiftwidth=4 softtabstop=4
let b:undo_ftplugin = "setlocal comments< commentstring< expandtab< shiftwidth< softtabstop<"
