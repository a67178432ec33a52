/* A driver without a card, for tests of what calls a driver: its memory is this process's, its work is done at once or recorded, and its kernels are
   those of the tests, written here. It is strict where a driver is: no allocation while its thread records, no work after a kernel that failed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned int Code;
typedef unsigned long long Address;
enum { OK, INVALID, NO_MEMORY, NO_DEVICE = 100, BAD_IMAGE = 200, NOT_FOUND = 500, ILLEGAL_ADDRESS = 700, NOT_WHILE_RECORDING = 900 };

struct kernel { const char *name; int count; size_t sizes[4]; };
static const struct kernel KERNELS[] = {
    {"add", 4, {8, 8, 8, 4}}, {"grow", 4, {8, 8, 4, 8}}, {"spoil", 1, {8}}, {"other", 0, {0}},
};

struct step { const struct kernel *kernel; unsigned char arguments[4][8]; Address at; size_t bytes; };
struct graph { int count, room; struct step *steps; };

static Code sticky;
static struct graph *recording;
static int invalid;
static _Thread_local int mode = 1;
static _Thread_local void *current;
static size_t used;
static struct { Address at; size_t bytes; } blocks[4096];

static int setting(const char *name, int otherwise) {
    const char *value = getenv(name);
    return value ? atoi(value) : otherwise;
}
static size_t whole(void) { return (size_t)setting("MADE_UP_MEMORY", 256) << 20; }

static int inside(Address at, size_t bytes) {
    for (int i = 0; i < 4096; i++)
        if (blocks[i].at && blocks[i].at <= at && at + bytes <= blocks[i].at + blocks[i].bytes) return 1;
    return 0;
}

Code cuDriverGetVersion(int *version) { *version = setting("MADE_UP_VERSION", 13000); return OK; }
Code cuInit(unsigned flags) { (void)flags; return setting("MADE_UP_CARDS", 1) ? OK : NO_DEVICE; }
Code cuGetErrorName(Code code, const char **text) {
    *text = code == ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS" : code == NO_DEVICE ? "CUDA_ERROR_NO_DEVICE" : 0;
    return *text ? OK : INVALID;
}
Code cuGetErrorString(Code code, const char **text) {
    *text = code == ILLEGAL_ADDRESS ? "an illegal memory access was encountered" : code == NO_DEVICE ? "no CUDA-capable device is detected" : 0;
    return *text ? OK : INVALID;
}
Code cuDeviceGetCount(int *count) { *count = setting("MADE_UP_CARDS", 1); return OK; }
Code cuDeviceGet(int *device, int number) { *device = number; return OK; }
Code cuDeviceGetName(char *name, int length, int device) { (void)device; strncpy(name, "Made-up card", length); return OK; }
Code cuDeviceGetAttribute(int *value, int kind, int device) {
    (void)device;
    switch (kind) {
    case 75: *value = setting("MADE_UP_CAPABILITY", 9); return OK;
    case 76: *value = 0; return OK;
    case 16: *value = 132; return OK;
    case 97: *value = 232448; return OK;
    case 81: *value = 233472; return OK;
    case 38: *value = 50 << 20; return OK;
    case 13: *value = 1980000; return OK;
    default: return INVALID;
    }
}
Code cuDeviceTotalMem_v2(size_t *bytes, int device) { (void)device; *bytes = whole(); return OK; }
Code cuDevicePrimaryCtxRetain(void **context, int device) { (void)device; *context = &used; return OK; }
Code cuDevicePrimaryCtxRelease_v2(int device) { (void)device; return OK; }
Code cuCtxSetCurrent(void *context) { current = context; return OK; }
Code cuCtxGetCurrent(void **context) { *context = current; return OK; }

#define READY do { if (!current) return 201; if (sticky) return sticky; } while (0)
#define NOT_RECORDING do { READY; if (recording && mode != 2) { invalid = 1; return NOT_WHILE_RECORDING; } } while (0)

Code cuStreamCreate(void **stream, unsigned flags) { (void)flags; READY; *stream = malloc(1); return OK; }
Code cuStreamSynchronize(void *stream) { (void)stream; NOT_RECORDING; return OK; }
Code cuThreadExchangeStreamCaptureMode(int *other) { int was = mode; mode = *other; *other = was; return OK; }

Code cuStreamBeginCapture_v2(void *stream, int wanted) {
    (void)stream;
    READY;
    if (recording || wanted != 1) return INVALID;
    recording = calloc(1, sizeof *recording);
    invalid = 0;
    return OK;
}
Code cuStreamEndCapture(void *stream, void **graph) {
    (void)stream;
    *graph = invalid ? 0 : recording;
    if (!recording) return INVALID;
    recording = 0;
    return invalid ? 901 : OK;
}
Code cuGraphInstantiateWithFlags(void **made, struct graph *graph, unsigned long long flags) {
    (void)flags;
    READY;
    struct graph *copy = malloc(sizeof *copy);
    *copy = *graph;
    copy->steps = malloc(graph->count * sizeof *copy->steps + 1);
    memcpy(copy->steps, graph->steps, graph->count * sizeof *copy->steps);
    *made = copy;
    return OK;
}
Code cuGraphUpload(void *graph, void *stream) { (void)graph, (void)stream; READY; return OK; }
Code cuGraphDestroy(struct graph *graph) { free(graph->steps); free(graph); return OK; }

static void done(const struct step *step) {
    const char *name = step->kernel ? step->kernel->name : "";
    double *address[3], by;
    float factor;
    unsigned long long count = 0;
    for (int i = 0; i < 3; i++) memcpy(&address[i], step->arguments[i], 8);
    memcpy(&by, step->arguments[1], 8);
    memcpy(&factor, step->arguments[2], 4);
    memcpy(&count, step->arguments[3], step->kernel ? step->kernel->sizes[3] : 0);
    if (!step->kernel)
        memset((void *)step->at, 0, step->bytes);
    else if (!strcmp(name, "add"))
        for (unsigned long long i = 0; i < count; i++) address[2][i] = address[0][i] + address[1][i];
    else if (!strcmp(name, "grow"))
        for (unsigned long long i = 0; i < count; i++) address[0][i] = fma(address[0][i], factor, by);
    else if (!strcmp(name, "spoil"))
        sticky = ILLEGAL_ADDRESS;
}
static void ask(struct step step) {
    if (!recording) {
        done(&step);
        return;
    }
    if (recording->count == recording->room) {
        recording->room = 2 * recording->room + 16;
        recording->steps = realloc(recording->steps, recording->room * sizeof step);
    }
    recording->steps[recording->count++] = step;
}
Code cuGraphLaunch(struct graph *graph, void *stream) {
    (void)stream;
    READY;
    for (int i = 0; i < graph->count; i++) done(&graph->steps[i]);
    return OK;
}

Code cuMemAlloc_v2(Address *at, size_t bytes) {
    NOT_RECORDING;
    for (int i = 0; i < 4096; i++)
        if (!blocks[i].at && used + bytes <= whole()) {
            used += bytes;
            *at = blocks[i].at = (Address)aligned_alloc(256, (bytes + 255) / 256 * 256);
            memset((void *)*at, 0xff, bytes);
            blocks[i].bytes = bytes;
            return OK;
        }
    return NO_MEMORY;
}
Code cuMemFree_v2(Address at) {
    NOT_RECORDING;
    for (int i = 0; i < 4096; i++)
        if (blocks[i].at == at) {
            used -= blocks[i].bytes;
            blocks[i].at = 0;
            free((void *)at);
            return OK;
        }
    return INVALID;
}
Code cuMemGetInfo_v2(size_t *left, size_t *total) { READY; *left = whole() - used; *total = whole(); return OK; }
Code cuMemHostAlloc(void **at, size_t bytes, unsigned flags) { (void)flags; NOT_RECORDING; *at = malloc(bytes); return OK; }
Code cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t bytes, void *stream) {
    (void)stream;
    NOT_RECORDING;
    if (!inside(to, bytes)) return INVALID;
    memcpy((void *)to, from, bytes);
    return OK;
}
Code cuMemcpyDtoHAsync_v2(void *to, Address from, size_t bytes, void *stream) {
    (void)stream;
    NOT_RECORDING;
    if (!inside(from, bytes)) return INVALID;
    memcpy(to, (void *)from, bytes);
    return OK;
}
Code cuMemsetD8Async(Address at, unsigned char value, size_t bytes, void *stream) {
    (void)stream, (void)value;
    READY;
    if (!inside(at, bytes)) return INVALID;
    ask((struct step){.at = at, .bytes = bytes});
    return OK;
}

Code cuEventCreate(void **event, unsigned flags) { (void)flags; READY; *event = malloc(1); return OK; }
Code cuEventDestroy_v2(void *event) { free(event); return OK; }
Code cuEventRecord(void *event, void *stream) { (void)event, (void)stream; NOT_RECORDING; return OK; }
Code cuEventSynchronize(void *event) { (void)event; READY; return OK; }
Code cuEventElapsedTime_v2(float *milliseconds, void *begin, void *end) { (void)begin, (void)end; *milliseconds = 1; return OK; }

Code cuModuleLoadData(void **module, const char *image) {
    NOT_RECORDING;
    if (memcmp(image, "\x7f" "ELF", 4)) return BAD_IMAGE;
    *module = strdup(image);
    return OK;
}
Code cuModuleGetFunction(const struct kernel **function, const char *module, const char *name) {
    READY;
    for (size_t i = 0; i < sizeof KERNELS / sizeof *KERNELS; i++)
        if (!strcmp(KERNELS[i].name, name) && strstr(module, name)) {
            *function = &KERNELS[i];
            return OK;
        }
    return NOT_FOUND;
}
Code cuFuncLoad(const struct kernel *function) { (void)function; NOT_RECORDING; return OK; }
Code cuFuncGetAttribute(int *value, int kind, const struct kernel *function) { (void)kind, (void)function; *value = 0; return OK; }
Code cuFuncSetAttribute(const struct kernel *function, int kind, int value) { (void)function; return kind == 8 && value == 232448 ? OK : INVALID; }
Code cuFuncGetParamInfo(const struct kernel *function, size_t number, size_t *offset, size_t *size) {
    *offset = 0;
    if (number >= (size_t)function->count) return INVALID;
    *size = function->sizes[number];
    return OK;
}
Code cuLaunchKernel(const struct kernel *function, unsigned x, unsigned y, unsigned z, unsigned tx, unsigned ty, unsigned tz, unsigned shared, void *stream,
                    void **arguments, void **extra) {
    (void)stream, (void)shared;
    READY;
    if (!x || y != 1 || z != 1 || !tx || tx > 1024 || ty != 1 || tz != 1 || extra) return INVALID;
    struct step step = {.kernel = function};
    for (int i = 0; i < function->count; i++) memcpy(step.arguments[i], arguments[i], function->sizes[i]);
    ask(step);
    return OK;
}
