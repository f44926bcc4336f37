" Colours for .sda sources, the assembly language of the SD-8516. Generated:
" CONTRIBUTING.md says how.
if exists("b:current_syntax")
  finish
endif

syntax case ignore
syntax iskeyword @,48-57,_,?

syntax keyword sdaMnemonic MEMCOPY MEMFILL PSPRITE SCANQUE INSQUE PPIXEL REMQUE CMPC3 MOVSX MOVZX PBLIT PFILL PLINE PRECT PUSHA PUSHF TESTF YIELD ADDC CLRF CMPC LOCC POPA POPF PUSH SETF SKPC SUBC TEST XCHG ADD AND BRK CLD CLF CLI CMP DEC DIV INC LEA MOD MOV MUL NEG NOP NOT POP RCL RCR ROL ROR SAR SED SEF SEI SHL SHR SUB XOR OR
syntax keyword sdaMnemonic LDABCD LDBLD LDBLI LDBLJ LDBLK LDBLM LDBLT LDBLX LDBLY LDELD LDELI LDELJ LDELK LDELM LDELT LDELX LDELY LDFLD LDFLI LDFLJ LDFLK LDFLM LDFLT LDFLX LDFLY LDGLD LDGLI LDGLJ LDGLK LDGLM LDGLT LDGLX LDGLY LDAB LDAH LDAL LDBH LDBL LDCD LDCH LDCL LDDH LDDL LDEH LDEL LDFH LDFL LDGH LDGL LDIH LDIJ LDIL LDJH LDJL LDKH LDKL LDKT LDLH LDLL LDMH LDML LDSP LDTH LDTL LDXH LDXL LDXY LDYH LDYL LDZH LDZL LDA LDB LDC LDD LDE LDF LDG LDI LDJ LDK LDL LDM LDT LDX LDY LDZ
syntax keyword sdaMnemonic STABCD STBLD STBLI STBLJ STBLK STBLM STBLT STBLX STBLY STELD STELI STELJ STELK STELM STELT STELX STELY STFLD STFLI STFLJ STFLK STFLM STFLT STFLX STFLY STGLD STGLI STGLJ STGLK STGLM STGLT STGLX STGLY STAB STAH STAL STBH STBL STCD STCH STCL STDH STDL STEH STEL STFH STFL STGH STGL STIH STIJ STIL STJH STJL STKH STKL STKT STLH STLL STMH STML STSP STTH STTL STXH STXL STXY STYH STYL STZH STZL STA STB STC STD STE STF STG STI STJ STK STL STM STT STX STY STZ
syntax keyword sdaJump CALLR CALL HALT IRET JMPR JTAB BAE BNC BNE BNN BNV BNZ BRA BSR INT JAE JBE JMP JNC JNE JNN JNV JNZ RET BB BC BE BN BV BZ JA JB JC JE JN JV JZ
syntax keyword sdaRegister ABCD BLD BLI BLJ BLK BLM BLT BLX BLY ELD ELI ELJ ELK ELM ELT ELX ELY FLD FLI FLJ FLK FLM FLT FLX FLY GLD GLI GLJ GLK GLM GLT GLX GLY AB AH AL BH BL CD CH CL DH DL EH EL FH FL GH GL IH IJ IL JH JL KH KL KT LH LL MH ML SP TH TL XH XL XY YH YL ZH ZL A B C D E F G I J K L M T X Y Z

" Of matches at one place the last one wins, and keywords win over all.
syntax match sdaOperator /<<\|>>\|[=!<>]=\|[-+*\/%&|^~<>=#$]/
syntax match sdaNumber /\<\d[0-9_]*\>\|\<0x\x[0-9a-f_]*\>\|\<0b[01][01_]*\>\|\$\x[0-9a-f_]*\>\|%[01][01_]*\>/
syntax match sdaFunction /\<\%(lo\|hi\|bank\|word\)\ze(/
syntax match sdaReference /\<\h\k*\.\h\k*/
syntax match sdaConstant /\C\<[A-Z_?][A-Z0-9_?]\+\>\%(\.\k\+\)\=/
syntax match sdaConstant /^\s*\zs\k\+\ze\s*==\@!/
syntax match sdaField /^\s*\zs\k\+\ze\s\+\.\%(bytes\|words\=\|ptrs\|dwords\|res\)\>/
syntax match sdaReference /@\.\=\k\+\%(\.\k\+\)*/
syntax match sdaParameter /\\\%(@\|\k\+\)/
syntax match sdaLocal /\k\@1<!\.\h\k*\%(\\@\)\=/
syntax match sdaLabel /\%(^\|:\)\s*\zs\h\k*\%(\\@\)\=\ze\s*:/
syntax match sdaDirective /\k\@1<!\.\%(clobbers\|address\|include\|returns\|asciiz\|assert\|dwords\|expect\|ifndef\|incbin\|struct\|align\|ascii\|bytes\|endif\|entry\|error\|ifdef\|macro\|words\|elif\|else\|endm\|endp\|endr\|ends\|fill\|page\|ptrs\|pure\|rept\|warn\|word\|equ\|org\|res\|var\|if\)\>/
syntax match sdaDefinition /\%(\.\%(macro\|struct\|var\|equ\)\s\+\)\@<=\h\k*/

syntax match sdaEscape contained /\\\%([nrt0\\'"]\|x\x\x\)/
syntax region sdaString start=/"/ skip=/\\./ end=/"/ oneline contains=sdaEscape
syntax region sdaString start=/'/ skip=/\\./ end=/'/ oneline contains=sdaEscape
syntax match sdaComment /\%(;\|\/\/\).*$/ contains=@Spell

highlight default link sdaMnemonic Statement
highlight default link sdaJump Conditional
highlight default link sdaRegister Identifier
highlight default link sdaOperator Operator
highlight default link sdaNumber Number
highlight default link sdaFunction Function
highlight default link sdaConstant Constant
highlight default link sdaField Type
highlight default link sdaReference Identifier
highlight default link sdaParameter Special
highlight default link sdaLocal Label
highlight default link sdaLabel Function
highlight default link sdaDirective PreProc
highlight default link sdaDefinition Function
highlight default link sdaEscape SpecialChar
highlight default link sdaString String
highlight default link sdaComment Comment

let b:current_syntax = "sda"
