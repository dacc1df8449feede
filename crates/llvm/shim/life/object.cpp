// Code of an object file: sections, the names in them, and what a linker is to
// fill in, by the format's own words (ELF, COFF, Mach-O).
#include "shim.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Object/COFF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/MachO.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/SubtargetFeature.h"

using namespace llvm;
using namespace llvm::object;

extern "C" {

// Who is told; a section comes before what lies in it, and offsets count from
// its first byte.
struct opcost_code_sink {
  void *context;
  void (*section)(void *context, const char *name, const uint8_t *bytes, size_t count);
  // A name without a size lasts until the next one; `size` is 0 then.
  void (*symbol)(void *context, const char *name, uint64_t offset, uint64_t size);
  // `addend` where the format has one in its table, not in the bytes.
  void (*relocation)(void *context, uint64_t offset, const char *type, const char *symbol, int64_t addend,
                     uint8_t has_addend);
  // What the file says of its machine.
  void (*features)(void *context, const char *triple, const char *features);
};

} // extern "C"

namespace {

std::string name_of(const ObjectFile &file, const RelocationRef &relocation) {
  symbol_iterator symbol = relocation.getSymbol();
  if (symbol == file.symbol_end()) {
    // Mach-O may name a section alone.
    if (auto *mach = dyn_cast<MachOObjectFile>(&file)) {
      section_iterator section = mach->getRelocationSection(relocation.getRawDataRefImpl());
      if (section != mach->section_end())
        if (Expected<StringRef> name = section->getName()) return name->str();
    }
    return "";
  }
  Expected<StringRef> name = symbol->getName();
  if (name && !name->empty()) return name->str();
  if (!name) consumeError(name.takeError());
  // ELF: a section's own symbol has no name.
  Expected<section_iterator> section = symbol->getSection();
  if (section && *section != file.section_end()) {
    if (Expected<StringRef> known = (*section)->getName()) return known->str();
  } else if (!section) {
    consumeError(section.takeError());
  }
  return "";
}

void tell_relocation(const ObjectFile &file, const RelocationRef &relocation, const opcost_code_sink &sink) {
  SmallString<32> type;
  relocation.getTypeName(type);
  int64_t addend = 0;
  bool has_addend = false;
  if (isa<ELFObjectFileBase>(file)) {
    if (Expected<int64_t> known = ELFRelocationRef(relocation).getAddend()) {
      addend = *known;
      has_addend = true;
    } else {
      consumeError(known.takeError());
    }
  }
  sink.relocation(sink.context, relocation.getOffset(), type.c_str(), name_of(file, relocation).c_str(), addend,
                  has_addend);
}

Error tell(const ObjectFile &file, const opcost_code_sink &sink) {
  Expected<SubtargetFeatures> features = file.getFeatures();
  if (!features) return features.takeError();
  sink.features(sink.context, file.makeTriple().str().c_str(), features->getString().c_str());
  for (const SectionRef &section : file.sections()) {
    if (!section.isText() || section.getSize() == 0) continue;
    Expected<StringRef> name = section.getName();
    if (!name) return name.takeError();
    Expected<StringRef> bytes = section.getContents();
    if (!bytes) return bytes.takeError();
    sink.section(sink.context, name->str().c_str(), bytes->bytes_begin(), bytes->size());
    for (const SymbolRef &symbol : file.symbols()) {
      Expected<section_iterator> own = symbol.getSection();
      if (!own) return own.takeError();
      if (*own == file.section_end() || **own != section) continue;
      Expected<uint32_t> flags = symbol.getFlags();
      if (!flags) return flags.takeError();
      // Marks of the format where code begins are no names.
      if (*flags & SymbolRef::SF_FormatSpecific) continue;
      Expected<SymbolRef::Type> type = symbol.getType();
      if (!type) return type.takeError();
      if (*type == SymbolRef::ST_File || *type == SymbolRef::ST_Debug) continue;
      Expected<StringRef> known = symbol.getName();
      if (!known) return known.takeError();
      // Labels that an assembler made, or kept for a relocation alone.
      if (isa<ELFObjectFileBase>(file) ? known->starts_with(".L") : known->starts_with("ltmp")) continue;
      Expected<uint64_t> address = symbol.getAddress();
      if (!address) return address.takeError();
      // COFF names the section itself, too.
      if (known->empty() || (*known == *name && isa<COFFObjectFile>(file))) continue;
      uint64_t size = isa<ELFObjectFileBase>(file) ? ELFSymbolRef(symbol).getSize() : 0;
      sink.symbol(sink.context, known->str().c_str(), *address - section.getAddress(), size);
    }
    auto tell_all = [&](const SectionRef &owner) {
      for (const RelocationRef &relocation : owner.relocations()) tell_relocation(file, relocation, sink);
    };
    if (!isa<ELFObjectFileBase>(file)) {
      tell_all(section);
      continue;
    }
    for (const SectionRef &table : file.sections()) {
      Expected<section_iterator> about = table.getRelocatedSection();
      if (!about) return about.takeError();
      if (*about != file.section_end() && **about == section) tell_all(table);
    }
  }
  return Error::success();
}

} // namespace

extern "C" {

// Tells what an object's code is; null, or what went wrong.
char *opcost_object_read(const char *path, const opcost_code_sink *sink) {
  Expected<OwningBinary<ObjectFile>> file = ObjectFile::createObjectFile(path);
  if (!file) return opcost::copy(toString(file.takeError()));
  if (Error error = tell(*file->getBinary(), *sink)) return opcost::copy(toString(std::move(error)));
  return nullptr;
}

} // extern "C"
