/* A compiler for the made-up driver: its machine code is the text itself behind the mark of an ELF file. */
#include <stdlib.h>
#include <string.h>

typedef unsigned int Code;
struct program { char *text; };

Code nvrtcVersion(int *major, int *minor) { *major = 13; *minor = 0; return 0; }
Code nvrtcCreateProgram(struct program **program, const char *text, const char *name, int headers, const char *const *contents, const char *const *names) {
    (void)name, (void)headers, (void)contents, (void)names;
    *program = malloc(sizeof **program);
    (*program)->text = strdup(text);
    return 0;
}
Code nvrtcDestroyProgram(struct program **program) { free((*program)->text); free(*program); *program = 0; return 0; }
Code nvrtcCompileProgram(struct program *program, int count, const char *const *options) {
    return count == 3 && !strcmp(options[0], "--gpu-architecture=sm_90a") && !strstr(program->text, "mistake") ? 0 : 6;
}
Code nvrtcGetProgramLogSize(struct program *program, size_t *size) { (void)program; *size = 10; return 0; }
Code nvrtcGetProgramLog(struct program *program, char *log) { (void)program; memcpy(log, "a mistake", 10); return 0; }
Code nvrtcGetCUBINSize(struct program *program, size_t *size) { *size = strlen(program->text) + 5; return 0; }
Code nvrtcGetCUBIN(struct program *program, char *cubin) {
    memcpy(cubin, "\x7f" "ELF", 4);
    strcpy(cubin + 4, program->text);
    return 0;
}
