#include "web.h"

// `#embed` takes a file as it is; an array literal of Swift takes the compiler half a minute for the same.
// It is C23, which clang knows in every mode and warns of.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char openapi_yaml[] = {
#embed "../../openapi.yaml"
};

const WebFile web_openapi_yaml = {openapi_yaml, sizeof openapi_yaml};
