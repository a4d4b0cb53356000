/* The bytes of libsparsec_cub.so; none where it was not built. */
  .section .rodata
  .globl sparsec_cub_image, sparsec_cub_image_end
  .balign 64
sparsec_cub_image:
#ifdef SPARSEC_CUB_LIBRARY
  .incbin SPARSEC_CUB_LIBRARY
#endif
sparsec_cub_image_end:
  .byte 0
  .section .note.GNU-stack, "", @progbits
