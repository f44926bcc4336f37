" Sources of the SD-8516.
autocmd BufRead,BufNewFile *.sda setfiletype sda
